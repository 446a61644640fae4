package io.punctual.cli.output;

import io.punctual.view.Outcome;

/** The exit codes of the command, from the table of outcomes. */
public final class ExitCode {
  public static final int OK = Outcome.OK.exitCode();
  public static final int FAILURE = Outcome.INTERNAL.exitCode();
  public static final int USAGE = Outcome.INVALID.exitCode();
  public static final int NOT_FOUND = Outcome.NOT_FOUND.exitCode();

  public static final int STORE_UNREACHABLE = Outcome.UNAVAILABLE.exitCode();

  private ExitCode() {}
}
