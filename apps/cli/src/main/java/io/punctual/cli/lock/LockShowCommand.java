package io.punctual.cli.lock;

import io.punctual.cli.output.ExitCode;
import io.punctual.lock.LockInfo;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows the holders of the locks with this name, and the number of waiters.",
    mixinStandardHelpOptions = true)
final class LockShowCommand extends LockCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The lock's name.")
  private String name;

  @Override
  public int run(RedisLocks locks) {
    List<LockInfo> found =
        Stream.of(LockKind.values()).flatMap(kind -> locks.find(kind, name).stream()).toList();
    if (found.isEmpty()) {
      console().say("Lock '" + name + "' has no holder and no waiter");
      return ExitCode.NOT_FOUND;
    }
    print(found);
    return ExitCode.OK;
  }
}
