package io.punctual.cli.queue;

import io.punctual.DeadLetterOutcome;
import io.punctual.DeadLetters;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Figure;
import io.punctual.cli.output.Listing;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that changes dead letters: the dead letters with given ids, or all. */
abstract class DeadLettersCommand extends QueueReportCommand {
  @Parameters(index = "1..*", arity = "0..*", paramLabel = "ID", description = "The messages.")
  private List<String> ids = List.of();

  @Option(names = "--all", description = "All dead letters of the queue.")
  private boolean all;

  @Override
  public void checkUsage() {
    if (all != ids.isEmpty()) {
      throw wrongUsage("Name the dead letters by their ids, or say --all");
    }
  }

  @Override
  public final int run(TimedQueue<byte[]> queue) throws IOException {
    String which = all ? "all dead letters" : "dead letters " + String.join(", ", ids);
    if (!mayChange(which + " of queue '" + queue.name() + "'")) {
      console().say("Nothing was changed");
      return ExitCode.FAILURE;
    }
    DeadLetters<byte[]> letters = queue.deadLetters();
    if (all) {
      Figure changed = changeAll(letters);
      Listing.show(console(), format(), changed, changed.name());
      return ExitCode.OK;
    }
    return each(
        ids, DeadLetterOutcome.DONE, DeadLetterOutcome.NOT_FOUND, id -> change(letters, id));
  }

  /** Returns whether the user confirms the change. */
  boolean mayChange(String which) throws IOException {
    return true;
  }

  abstract DeadLetterOutcome change(DeadLetters<byte[]> letters, String id);

  abstract Figure changeAll(DeadLetters<byte[]> letters);
}
