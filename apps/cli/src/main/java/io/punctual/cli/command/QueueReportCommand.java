package io.punctual.cli.command;

import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import io.punctual.cli.output.OutputOption;
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

  /** Makes a request for each id, lists the outcomes, and returns the exit code. */
  public final <E extends Enum<E>> int each(
      List<String> ids, E success, E notFound, Function<String, E> request) {
    console().out().ignoreReaderGone();
    int exitCode = ExitCode.OK;
    try (Listing<Answer> listing = new Listing<>(console(), format(), ANSWER)) {
      for (String id : ids) {
        E outcome = request.apply(id);
        listing.add(new Answer(id, outcome));
        if (outcome == notFound) {
          exitCode = ExitCode.NOT_FOUND;
        } else if (outcome != success && exitCode == ExitCode.OK) {
          exitCode = ExitCode.FAILURE;
        }
      }
      listing.end();
    }
    return exitCode;
  }
}
