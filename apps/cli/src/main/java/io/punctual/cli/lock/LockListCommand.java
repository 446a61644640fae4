package io.punctual.cli.lock;

import io.punctual.cli.input.Positive;
import io.punctual.cli.output.ExitCode;
import io.punctual.lock.LockInfo;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "Lists the locks that have a holder. Scans all keys of the database.",
    mixinStandardHelpOptions = true)
final class LockListCommand extends LockCommand {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      converter = Positive.IntConverter.class,
      description = "How many locks of each kind at most (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Override
  public int run(RedisLocks locks) {
    List<LockInfo> found = new ArrayList<>();
    for (LockKind kind : LockKind.values()) {
      found.addAll(locks.list(kind, limit));
    }
    print(found);
    return ExitCode.OK;
  }
}
