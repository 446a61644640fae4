package io.punctual.server.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A running scenario program. Safe for use by many threads. */
final class Driver implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long PATIENCE = 90;

  private final Language language;
  private final Process process;
  private final Path errors;
  private final List<JsonNode> lines = new ArrayList<>();
  private boolean ended;
  private int requests;

  /**
   * Starts a program.
   *
   * @param arguments {@code wait} to end it by SIGTERM
   */
  Driver(Language language, String... arguments) {
    this(language, Map.of(), arguments);
  }

  /** Starts a program with variables of the environment. */
  Driver(Language language, Map<String, String> environment, String... arguments) {
    this.language = language;
    try {
      errors = Files.createTempFile("scenario", ".log");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    errors.toFile().deleteOnExit();
    process = language.startScenario(List.of(arguments), environment, Redirect.to(errors.toFile()));
    Thread reader = new Thread(this::read, "scenario-output");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        JsonNode node = JSON.readTree(line);
        synchronized (this) {
          lines.add(node);
          notifyAll();
        }
      }
    } catch (IOException e) {
      // The program has ended.
      return;
    } finally {
      synchronized (this) {
        ended = true;
        notifyAll();
      }
    }
  }

  /** Waits for a line, and fails if it does not come. */
  private synchronized JsonNode await(String what, Predicate<JsonNode> condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
    while (true) {
      JsonNode found = lines.stream().filter(condition).findFirst().orElse(null);
      if (found != null) {
        return found;
      }
      long left = end - System.nanoTime();
      if (left <= 0 || ended) {
        throw new AssertionError(language + ": no line for " + what + ":\n" + log());
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  /** Sends a command, JSON with {@code '} for quotes and without its braces. */
  int send(String command) {
    int number;
    synchronized (this) {
      number = ++requests;
    }
    String line = "{'n':%d,%s}\n".formatted(number, command).replace('\'', '"');
    OutputStream input = process.getOutputStream();
    try {
      input.write(line.getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      throw new AssertionError(language + " ended:\n" + log(), e);
    }
    return number;
  }

  /** Waits for the answer of a command. */
  JsonNode answer(int number) {
    return await("answer " + number, line -> line.path("n").asInt() == number);
  }

  /** Sends a command, and returns its result as a text. */
  String call(String command) {
    JsonNode answer = answer(send(command));
    if (!answer.has("result")) {
      throw new AssertionError(language + ": " + command + " failed: " + answer + "\n" + log());
    }
    JsonNode result = answer.get("result");
    return result.isString() ? result.asString() : result.toString();
  }

  /** Waits for an event of a message, such as the begin of an attempt. */
  JsonNode event(String event, String id, int attempt) {
    return await(
        event + " of " + id,
        line ->
            line.path("event").asString("").equals(event)
                && line.path("id").asString("").equals(id)
                && (attempt == 0 || line.path("attempt").asInt() == attempt));
  }

  /** Returns how often a handler has begun with a message. */
  synchronized long begun(String id) {
    return lines.stream().filter(line -> line.path("id").asString("").equals(id)).count();
  }

  /** Ends the program like {@code kill -9}. */
  void kill() {
    process.destroyForcibly();
  }

  /** Sends SIGTERM. */
  void terminate() {
    // The process itself would close its input.
    process.toHandle().destroy();
  }

  /** Waits until the program has told that its worker is closed, and has ended. */
  void awaitEnd() {
    JsonNode unused = await("the end", line -> line.path("event").asString("").equals("closed"));
    try {
      if (!process.waitFor(PATIENCE, TimeUnit.SECONDS)) {
        throw new AssertionError(language + " does not end:\n" + log());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns the lines and the error output so far. */
  synchronized String log() {
    return lines + "\n" + errorOutput();
  }

  private @Nullable String errorOutput() {
    try {
      return Files.readString(errors, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
