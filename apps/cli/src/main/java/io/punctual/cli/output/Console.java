package io.punctual.cli.output;

import java.io.InputStream;
import java.io.PrintWriter;
import java.util.Map;

/**
 * The world around a command: its streams, its environment, and how it comes to a store.
 *
 * @param in standard input
 * @param out standard output: data
 * @param err standard error: talk
 * @param terminal what is known of the terminal
 * @param environment the environment variables
 * @param stores opens stores
 * @param stop tells that the user wants it to end
 */
public record Console(
    InputStream in,
    Stdout out,
    PrintWriter err,
    Terminal terminal,
    Map<String, String> environment,
    StoreOpener stores,
    Stop stop) {
  /** Says something to the person, on a line of its own. */
  public void say(String line) {
    err.println(line);
    err.flush();
  }
}
