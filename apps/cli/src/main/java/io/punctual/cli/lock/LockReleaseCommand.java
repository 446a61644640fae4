package io.punctual.cli.lock;

import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Figure;
import io.punctual.cli.output.Listing;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a lock away from whoever holds it. */
@Command(
    name = "release",
    description = {
      "Takes a lock away from whoever holds it, and hands it to the next who waits. The holder"
          + " learns it when it renews the lock, and goes on until then."
    },
    mixinStandardHelpOptions = true)
final class LockReleaseCommand extends LockCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The lock's name.")
  private String name;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = "mutex",
      converter = LockRow.KindConverter.class,
      description = "mutex, read-write, semaphore, simple or quorum (default: ${DEFAULT-VALUE}).")
  private LockKind kind;

  @Option(names = "--force", description = "Needed, since two may then believe they hold it.")
  private boolean force;

  @Override
  public void checkUsage() {
    if (!force) {
      throw wrongUsage("Its holder may still be at work; to take the lock away needs --force");
    }
  }

  @Override
  public int run(RedisLocks locks) {
    int taken = locks.forceRelease(kind, name);
    if (taken == 0) {
      console().say("Nobody holds lock '" + name + "'");
      return ExitCode.NOT_FOUND;
    }
    Figure released = new Figure("released", taken);
    Listing.show(console(), format(), released, released.name());
    return ExitCode.OK;
  }
}
