package io.punctual.cli.output;

/** The exit codes of the command. */
public final class ExitCode {
  public static final int OK = 0;
  public static final int FAILURE = 1;
  public static final int USAGE = 2;
  public static final int NOT_FOUND = 3;

  /** A message was not stored, because its id is in use or is remembered. */
  public static final int NOT_STORED = 4;

  public static final int STORE_UNREACHABLE = 5;

  private ExitCode() {}
}
