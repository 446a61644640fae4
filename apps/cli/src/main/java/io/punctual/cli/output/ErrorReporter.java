package io.punctual.cli.output;

import io.punctual.view.Outcomes;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports failures: a sentence on standard error, and an exit code. */
public final class ErrorReporter {
  private static final Logger log = LoggerFactory.getLogger(ErrorReporter.class);

  private final Console console;

  public ErrorReporter(Console console) {
    this.console = console;
  }

  public int wrongUsage(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    complain(Objects.requireNonNullElse(e.getMessage(), "wrong usage"));
    if (isWithoutCommand(e)) {
      console.say(
          "'"
              + command.getCommandSpec().qualifiedName()
              + "' needs one of its commands first: "
              + String.join(", ", new TreeSet<>(command.getSubcommands().keySet())));
    } else if (!UnmatchedArgumentException.printSuggestions(e, console.err())) {
      console.say("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    console.err().flush();
    return ExitCode.USAGE;
  }

  /** Returns whether a user has named a queue after a group of commands, without a command. */
  private static boolean isWithoutCommand(ParameterException e) {
    CommandLine command = e.getCommandLine();
    return e instanceof UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()
        && command.getParent() != null
        && !command.getSubcommands().isEmpty();
  }

  public int failed(Exception e, CommandLine command, ParseResult parsed) {
    if (e instanceof Stdout.ReaderGoneException) {
      return ExitCode.OK;
    }
    Throwable cause = cause(e);
    complain(message(cause));
    log.debug("{} failed", command.getCommandName(), e);
    return Outcomes.exitCode(e);
  }

  /**
   * Writes the rest of the output. Returns the given exit code, also if the reader of the output
   * has gone; {@link ExitCode#FAILURE} if the write fails otherwise.
   */
  public int whileWriting(int exitCode, Runnable writing) {
    try {
      writing.run();
      return exitCode;
    } catch (Stdout.ReaderGoneException e) {
      return exitCode;
    } catch (RuntimeException e) {
      complain("Can't write: " + message(e));
      return ExitCode.FAILURE;
    }
  }

  /** Writes a message, of which each line may have a text of others, such as an id. */
  private void complain(String message) {
    String printable = message.lines().map(Printable::of).collect(Collectors.joining("\n"));
    console.pass(console.terminal().errStyle().bad("punctual: ") + printable);
  }

  /** Returns the cause of a {@link CompletionException}; any other failure is returned itself. */
  public static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  public static String message(Throwable e) {
    String message = e.getMessage();
    return message == null || message.isBlank() ? e.toString() : message;
  }
}
