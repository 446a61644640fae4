package io.punctual.cli.lock;

import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Releases a lock in place of its holder. */
@Command(
    name = "release",
    description = {
      "Releases a lock in place of its holder and grants it to the next waiter. The holder"
          + " notices the loss when it renews the lock, and continues to work until then."
    },
    mixinStandardHelpOptions = true)
final class LockReleaseCommand extends LockCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The lock's name.")
  private String name;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = "mutex",
      completionCandidates = LockRow.Kinds.class,
      converter = LockRow.Kinds.class,
      description = "mutex, read-write, semaphore or quorum (default: ${DEFAULT-VALUE}).")
  private LockKind kind;

  @Option(
      names = "--force",
      description =
          "Required: until the old holder notices the loss, two processes act as the holder.")
  private boolean force;

  @Override
  public void checkUsage() {
    if (!force) {
      throw wrongUsage(
          "The holder may still be at work; add --force to release the lock all the same");
    }
  }

  @Override
  public int run(RedisLocks locks) {
    int taken = locks.forceRelease(kind, name);
    if (taken == 0) {
      console().say("Lock '" + name + "' has no holder");
      return ExitCode.NOT_FOUND;
    }
    Listing.show(console(), format(), "released", taken);
    return ExitCode.OK;
  }
}
