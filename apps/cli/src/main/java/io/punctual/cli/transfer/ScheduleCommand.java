package io.punctual.cli.transfer;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.DueOption;
import io.punctual.cli.input.Feed;
import io.punctual.cli.input.LineParser;
import io.punctual.cli.input.LineReader;
import io.punctual.cli.input.Payload;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.LowerCase;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Schedules a message, or the lines of standard input. */
@Command(
    name = "schedule",
    description = {
      "Schedules a message and writes its id. Without BODY, a message a line is read from standard"
          + " input as by 'pipe', and the id of each that was confirmed is written.",
      "",
      "BODY is JSON; what is not is taken as text, and becomes a JSON string."
    },
    mixinStandardHelpOptions = true)
public final class ScheduleCommand extends QueueReportCommand {
  @Parameters(index = "1", arity = "0..1", paramLabel = "BODY", description = "The payload.")
  private @Nullable String body;

  @ArgGroup private @Nullable DueOption due;

  @Option(names = "--id", paramLabel = "ID", description = "The message's id; one is made if not.")
  private @Nullable String id;

  @Option(
      names = "--if-present",
      paramLabel = "MODE",
      defaultValue = "keep",
      completionCandidates = LowerCase.IfPresents.class,
      description = {
        "What to do when there is a message with the id: keep, reject, replace or earliest"
            + " (default: ${DEFAULT-VALUE})."
      })
  private IfPresent ifPresent;

  @Option(names = "--header", paramLabel = "NAME=VALUE", description = "A header; may be repeated.")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--not-after",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Not wanted any more after this instant.")
  private @Nullable Instant notAfter;

  @Override
  public boolean mayCreateStore() {
    return true;
  }

  @Override
  public WhenMissing whenMissing() {
    return WhenMissing.CREATE;
  }

  @Override
  public void checkUsage() {
    if (body == null && (id != null || notAfter != null || !headers.isEmpty())) {
      throw wrongUsage("--id, --header and --not-after need a BODY; lines name their own");
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) throws IOException, InterruptedException {
    return body == null ? scheduleLines(queue) : schedule(queue, body);
  }

  private int schedule(TimedQueue<byte[]> queue, String text) {
    Payload.whyBroken(text)
        .ifPresent(why -> console().say("BODY is stored as text, since it is not JSON: " + why));
    Scheduled answer;
    try {
      answer = queue.schedule(message(text), ifPresent);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
    new ScheduledLines(console(), format()).print(answer);
    console().out().flush();
    if (!answer.isStored()) {
      console().say("There is a message '" + answer.id() + "' already, and it stays");
    }
    return answer.outcome() == ScheduleOutcome.REJECTED ? ExitCode.FAILURE : ExitCode.OK;
  }

  private Message<byte[]> message(String text) {
    Message<byte[]> message =
        Message.of(Payload.ofText(text)).due(due == null ? Due.now() : due.due()).headers(headers);
    message = id == null ? message : message.id(id);
    return notAfter == null ? message : message.notAfter(notAfter);
  }

  private int scheduleLines(TimedQueue<byte[]> queue) throws IOException, InterruptedException {
    if (console().terminal().in()) {
      console().say("Reading a message a line, until ^D");
    }
    ScheduledLines lines = new ScheduledLines(console(), format());
    LineParser parser = new LineParser(due == null ? null : due.due(), true);
    new Feed(queue, parser, ifPresent, lines).run(new LineReader(console().in()));
    lines.finish();
    return lines.exitCode();
  }
}
