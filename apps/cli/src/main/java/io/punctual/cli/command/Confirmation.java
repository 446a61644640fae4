package io.punctual.cli.command;

import io.punctual.cli.output.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import picocli.CommandLine.Option;

/** The user's confirmation of a change that can't be undone. */
public final class Confirmation {
  /** The error message if the confirmation {@link #isMissing}. */
  public static final String NEEDED =
      "This can't be undone; without a terminal to ask on, add --yes";

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask for confirmation; required without a terminal.")
  private boolean yes;

  /** Returns whether {@code --yes} is missing and there is no terminal to ask on. */
  public boolean isMissing(Console console) {
    return !yes && !(console.terminal().in() && console.terminal().err());
  }

  /** Returns whether the user confirms; asks unless {@code --yes} is given. */
  public boolean isGiven(Console console, String question) throws IOException {
    if (yes) {
      return true;
    }
    console.err().print(question + " [y/N] ");
    console.err().flush();
    String answer =
        new BufferedReader(new InputStreamReader(console.in(), Charset.defaultCharset()))
            .readLine();
    return answer != null && answer.strip().matches("(?i)y|yes");
  }
}
