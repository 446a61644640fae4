package io.punctual.cli;

import io.punctual.lock.LockInfo;
import io.punctual.lock.RedisLocks;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that works on the locks of a Redis deployment. */
abstract class LockCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOption store;
  @Mixin private OutputOption output;

  /** Does the command's work and returns its exit code. */
  abstract int run(RedisLocks locks) throws Exception;

  /** Refuses arguments that do not go together. */
  void checkUsage() {}

  @Override
  public final Integer call() throws Exception {
    checkUsage();
    try (RedisLocks locks = open()) {
      return run(locks);
    } finally {
      console().err().flush();
    }
  }

  private RedisLocks open() {
    String url = store.url(console().environment()).orElse("");
    if (!url.toLowerCase(Locale.ROOT).startsWith("redis")) {
      throw wrongUsage(
          "Locks are on Redis: name it by --store, or in PUNCTUAL_STORE, as in"
              + " redis://localhost:6379");
    }
    try {
      return RedisLocks.open(url);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Writes a row for each holder of these. */
  final void print(List<LockInfo> locks) {
    try (Listing listing = new Listing(console(), output.format(), LockRow.COLUMNS)) {
      locks.stream().flatMap(LockRow::of).forEach(listing::add);
    }
  }

  final OutputFormat format() {
    return output.format();
  }

  final Console console() {
    return ((PunctualCommand) spec.root().userObject()).console();
  }

  final ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
