package io.punctual.cli;

/** What the command's exit codes mean. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILURE = 1;
  static final int USAGE = 2;
  static final int NOT_FOUND = 3;
  static final int STORE_UNREACHABLE = 5;

  private ExitCode() {}
}
