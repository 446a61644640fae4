package io.punctual.cli.command;

import io.punctual.cli.output.Console;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that reads from and writes to the user's console. */
public abstract class ConsoleCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  private @Nullable Console console;

  /** Does the command's work and returns its exit code. */
  public abstract int execute() throws Exception;

  /**
   * Throws an exception if the arguments are not valid, for example if they contradict each other.
   */
  public void checkUsage() {}

  @Override
  public final Integer call() throws Exception {
    checkUsage();
    try {
      return execute();
    } finally {
      console().err().flush();
    }
  }

  /** Sets the console; {@link CommandFactory} calls this for each command that it creates. */
  public final void use(Console given) {
    console = given;
  }

  public final Console console() {
    return Objects.requireNonNull(console, "console");
  }

  /** Returns whether the user gave this option, also with the value of its default. */
  protected final boolean isGiven(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  public final ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
