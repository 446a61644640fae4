package io.punctual.cli.lock;

import io.punctual.cli.output.ExitCode;
import io.punctual.lock.LockInfo;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows who holds a lock. */
@Command(
    name = "show",
    description = "Shows who holds the locks of this name, and how many wait.",
    mixinStandardHelpOptions = true)
final class LockShowCommand extends LockCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The lock's name.")
  private String name;

  @Override
  public int run(RedisLocks locks) {
    List<LockInfo> found =
        Stream.of(LockKind.values()).flatMap(kind -> locks.find(kind, name).stream()).toList();
    if (found.isEmpty()) {
      console().say("Nobody holds a lock '" + name + "', or waits for it");
      return ExitCode.NOT_FOUND;
    }
    print(found);
    return ExitCode.OK;
  }
}
