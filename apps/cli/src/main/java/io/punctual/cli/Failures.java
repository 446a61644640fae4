package io.punctual.cli;

import io.punctual.StoreUnavailableException;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what goes wrong into a sentence on standard error and an exit code. */
final class Failures {
  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private final Console console;

  Failures(Console console) {
    this.console = console;
  }

  int wrongUsage(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    complain(Objects.requireNonNullElse(e.getMessage(), "wrong usage"));
    if (!UnmatchedArgumentException.printSuggestions(e, console.err())) {
      console.say("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    console.err().flush();
    return ExitCode.USAGE;
  }

  int failed(Exception e, CommandLine command, ParseResult parsed) {
    if (e instanceof Stdout.ReaderGoneException) {
      return ExitCode.OK;
    }
    complain(message(e));
    log.debug("{} failed", command.getCommandName(), e);
    return e instanceof StoreUnavailableException ? ExitCode.STORE_UNREACHABLE : ExitCode.FAILURE;
  }

  /** Writes what is left to write, and returns the exit code or, if that fails, another. */
  int whileWriting(int exitCode, Runnable writing) {
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

  private void complain(String message) {
    console.say(console.terminal().errStyle().bad("punctual: ") + message);
  }

  /** Returns what a stage failed with. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  static String message(Throwable e) {
    String message = e.getMessage();
    return message == null || message.isBlank() ? e.toString() : message;
  }
}
