package io.punctual.cli.output;

import java.io.InputStream;
import java.io.PrintWriter;
import java.util.Map;

/**
 * The surroundings of a command: its streams, its environment, and the way to open stores.
 *
 * @param in standard input
 * @param out standard output: data
 * @param err standard error: messages for people
 * @param terminal the properties of the terminal
 * @param environment the environment variables
 * @param stores opens stores
 * @param stop signals that the user wants the command to end
 */
public record Console(
    InputStream in,
    Stdout out,
    PrintWriter err,
    Terminal terminal,
    Map<String, String> environment,
    StoreOpener stores,
    Stop stop) {
  /** Writes a line for the user to standard error, without characters that control a terminal. */
  public void say(String line) {
    pass(Printable.of(line));
  }

  /** Writes a line to standard error as it is. */
  public void pass(String line) {
    err.println(line);
    err.flush();
  }

  /** Returns a text from a store for standard output, without control characters on a terminal. */
  public String shown(String text) {
    return terminal.out() ? Printable.of(text) : text;
  }

  /** Returns JSON for standard output, with control characters escaped on a terminal. */
  public String shownJson(String json) {
    return terminal.out() ? Printable.json(json) : json;
  }
}
