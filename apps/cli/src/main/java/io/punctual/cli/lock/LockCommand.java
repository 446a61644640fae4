package io.punctual.cli.lock;

import io.punctual.cli.command.ConsoleCommand;
import io.punctual.cli.command.StoreOption;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import io.punctual.cli.output.OutputOption;
import io.punctual.lock.LockInfo;
import io.punctual.lock.RedisLocks;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Mixin;

/** A command that works on the locks of a Redis deployment. */
abstract class LockCommand extends ConsoleCommand {
  @Mixin private StoreOption store;
  @Mixin private OutputOption output;

  /** Does the command's work and returns its exit code. */
  abstract int run(RedisLocks locks) throws Exception;

  @Override
  public final int execute() throws Exception {
    try (RedisLocks locks = open()) {
      return run(locks);
    }
  }

  private RedisLocks open() {
    String url = store.url(console().environment()).orElse("");
    if (!url.toLowerCase(Locale.ROOT).startsWith("redis")) {
      throw wrongUsage(
          "Locks need a Redis store: name it by --store, or in PUNCTUAL_STORE, as in"
              + " redis://localhost:6379");
    }
    try {
      return RedisLocks.open(url);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Writes a row for each holder of these locks, and a row for each lock that has waiters only. */
  final void print(List<LockInfo> locks) {
    try (Listing<LockRow> listing = new Listing<>(console(), output.format(), LockRow.FIELDS)) {
      locks.stream().flatMap(LockRow::of).forEach(listing::add);
      listing.end();
    }
  }

  final OutputFormat format() {
    return output.format();
  }
}
