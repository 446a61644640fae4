package io.punctual.cli.command;

import io.punctual.cli.output.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import picocli.CommandLine.Option;

/** A person's leave to do what can't be undone. */
public final class Confirmation {
  /** What to say when it {@link #isMissing}. */
  public static final String NEEDED = "This can't be undone; without a terminal to ask on it needs --yes";

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask; without a terminal this is needed.")
  private boolean yes;

  /** Returns whether nobody could be asked, and leave was not given beforehand. */
  public boolean isMissing(Console console) {
    return !yes && !(console.terminal().in() && console.terminal().err());
  }

  /** Returns whether leave was given, if need be by asking. */
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
