package io.punctual.cli.command;

import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import io.punctual.cli.output.OutputOption;
import io.punctual.view.Outcome;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/** A command that works on one queue and writes data in the format that the user chooses. */
public abstract class QueueReportCommand extends QueueCommand {
  private static final Fields<Answer> ANSWER =
      new Fields<Answer>()
          .text("id", Answer::id)
          .cell("outcome", answer -> EnumNames.of(answer.outcome).replace('_', ' '))
          .json((json, answer) -> json.writeStringProperty("outcome", answer.outcome.name()));

  @Mixin private OutputOption output;

  private record Answer(String id, Enum<?> outcome) {}

  public final OutputFormat format() {
    return output.format();
  }

  /**
   * Makes a request for each id, lists the outcomes, and returns the exit code: of an id that does
   * not exist, else of the first failure.
   */
  public final <E extends Enum<E>> int each(
      List<String> ids, Function<String, E> request, Function<E, Outcome> judgement) {
    console().out().ignoreReaderGone();
    int exitCode = ExitCode.OK;
    try (Listing<Answer> listing = new Listing<>(console(), format(), ANSWER)) {
      for (String id : ids) {
        E outcome = request.apply(id);
        listing.add(new Answer(id, outcome));
        int code = judgement.apply(outcome).exitCode();
        exitCode = exitCode == ExitCode.OK || code == ExitCode.NOT_FOUND ? code : exitCode;
      }
      listing.end();
    }
    return exitCode;
  }
}
