package io.punctual.cli.transfer;

import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.cli.input.Feed;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.ErrorReporter;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.OutputFormat;
import io.punctual.view.Outcomes;
import io.punctual.view.ScheduledView;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line for each message that the store has stored or kept, and reports the other lines of
 * the input by their numbers. Thread-safe.
 */
final class ScheduledLines implements Feed.LineListener {
  private final Console console;
  private final OutputFormat format;
  private int exitCode = ExitCode.OK;
  private @Nullable RuntimeException unwritable;

  ScheduledLines(Console console, OutputFormat format) {
    this.console = console;
    this.format = format;
  }

  /** Writes the answer: the id alone for scripts, or all fields as JSON. */
  synchronized void print(Scheduled answer) {
    console
        .out()
        .println(
            format == OutputFormat.TABLE
                ? console.shown(answer.id())
                : console.shownJson(Json.object(ScheduledView.of(answer))));
  }

  @Override
  public synchronized void scheduled(long line, Scheduled answer) {
    if (exitCode == ExitCode.OK) {
      exitCode = Outcomes.of(answer.outcome()).exitCode();
    }
    if (answer.outcome() == ScheduleOutcome.REJECTED) {
      say(line, "has the id '" + answer.id() + "' of a message that is stored already");
    } else if (unwritable == null) {
      try {
        print(answer);
      } catch (RuntimeException e) {
        unwritable = e;
      }
    }
  }

  @Override
  public synchronized void refused(long line, String why) {
    say(line, why);
    exitCode = ExitCode.FAILURE;
  }

  private void say(long line, String why) {
    console.say("line " + line + " " + why);
  }

  @Override
  public synchronized void failed(long first, long last, Throwable failure) {
    Throwable cause = ErrorReporter.cause(failure);
    console.say(
        "lines " + first + " to " + last + " not confirmed: " + ErrorReporter.message(cause));
    exitCode = Outcomes.exitCode(cause);
  }

  /** Flushes the ids of the batch, so that a reader can use them while more input is read. */
  @Override
  public synchronized void batchEnded() {
    if (unwritable == null) {
      try {
        console.out().flush();
      } catch (RuntimeException e) {
        unwritable = e;
      }
    }
  }

  /** Throws the exception of a failed write, if a write failed. */
  synchronized void finish() {
    if (unwritable != null) {
      throw unwritable;
    }
  }

  synchronized int exitCode() {
    return exitCode;
  }
}
