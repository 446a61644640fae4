package io.punctual.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A program that ends by itself, such as {@code initdb}. Not safe for use by many threads. */
public final class Command {
  private final List<String> words;
  private final Map<String, @Nullable String> environment = new LinkedHashMap<>();
  private @Nullable Path directory;

  private Command(List<String> words) {
    this.words = List.copyOf(words);
  }

  /** Returns a command with a program and its arguments. */
  public static Command of(List<String> words) {
    return new Command(words);
  }

  /** Returns a command with a program and its arguments. */
  public static Command of(String... words) {
    return new Command(List.of(words));
  }

  /** Returns a command with a program of the JDK that runs, such as {@code keytool}. */
  public static Command ofJdk(String program, List<String> arguments) {
    List<String> words = new ArrayList<>(List.of(jdkProgram(program)));
    words.addAll(arguments);
    return new Command(words);
  }

  static String jdkProgram(String program) {
    return Path.of(System.getProperty("java.home"), "bin", program).toString();
  }

  /** Sets the working folder. */
  public Command directory(Path directory) {
    this.directory = directory;
    return this;
  }

  /** Sets an environment variable, or removes it if the value is null. */
  public Command environment(String variable, @Nullable String value) {
    environment.put(variable, value);
    return this;
  }

  /** Sets environment variables. */
  public Command environment(Map<String, ? extends @Nullable String> variables) {
    environment.putAll(variables);
    return this;
  }

  /**
   * Starts the program for a test of its streams, with each stream as the caller wants it. The
   * caller ends the process, or this JVM ends it with itself.
   */
  public Process launch(Redirect input, Redirect output, Redirect errors) {
    return Processes.start(
        builder().redirectInput(input).redirectOutput(output).redirectError(errors));
  }

  /**
   * Runs the program to its end, and returns its output, which includes its error output.
   *
   * @throws IllegalStateException if the exit code is not zero, or if the program does not end; the
   *     message contains the output
   */
  public String run() {
    try {
      Path log = Files.createTempFile("command", ".log");
      try {
        Process process =
            Processes.start(builder().redirectErrorStream(true).redirectOutput(log.toFile()));
        boolean ended = Processes.hasEnded(process, Processes.PATIENCE);
        process.destroyForcibly();
        String output = Files.readString(log, StandardCharsets.UTF_8);
        if (!ended || process.exitValue() != 0) {
          throw new IllegalStateException(words + (ended ? " failed: " : " hangs: ") + output);
        }
        return output;
      } finally {
        Files.delete(log);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the program to its end; returns whether it starts, ends, and its exit code is zero. */
  public boolean succeeds() {
    Process process;
    try {
      process = builder().redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
    } catch (IOException cannotStart) {
      return false;
    }
    boolean ended = Processes.hasEnded(process, Processes.PATIENCE);
    process.destroyForcibly();
    return ended && process.exitValue() == 0;
  }

  private ProcessBuilder builder() {
    ProcessBuilder builder = new ProcessBuilder(words);
    if (directory != null) {
      builder.directory(directory.toFile());
    }
    environment.forEach(
        (variable, value) -> {
          if (value == null) {
            builder.environment().remove(variable);
          } else {
            builder.environment().put(variable, value);
          }
        });
    return builder;
  }
}
