package io.punctual.kit.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A class that runs in a child JVM with the class path of this JVM.
 *
 * <pre>{@code
 * try (JavaProcess worker = JavaProcess.of(Worker.class).small().arguments(url).ready("ready").start()) {
 *   worker.freeze();
 *   worker.thaw();
 *   worker.kill();
 * }
 * }</pre>
 *
 * <p>The process ends with this JVM, even if this JVM is killed. Its output is collected, and is
 * part of each {@link AssertionError} that this class throws. All waits fail after {@link
 * Builder#patience}. Safe for use by many threads.
 */
public final class JavaProcess implements AutoCloseable {
  private static final String OWN_PID = Long.toString(ProcessHandle.current().pid());

  private final String name;
  private final Duration patience;
  private final Process process;
  private final Output output;

  private JavaProcess(Builder builder) {
    name = builder.name;
    patience = builder.patience;
    process = builder.launch(Redirect.PIPE);
    output =
        new Output(
            process.inputReader(StandardCharsets.UTF_8),
            process.errorReader(StandardCharsets.UTF_8));
  }

  /** Returns a builder of a process that runs the main method of a class. */
  public static Builder of(Class<?> main) {
    return new Builder(
        main.getSimpleName(), List.of(ChildMain.class.getName(), OWN_PID, main.getName()));
  }

  /** Returns a builder of a process that runs the main method of a class of this name. */
  public static Builder of(String main) {
    return new Builder(main, List.of(ChildMain.class.getName(), OWN_PID, main));
  }

  /**
   * Returns a builder of a process that runs a jar, and no class of this JVM. The process does not
   * notice that this JVM is killed.
   */
  public static Builder ofJar(Path jar) {
    return new Builder(jar.getFileName().toString(), List.of("-jar", jar.toString()));
  }

  /** Returns the class path of this JVM, which includes its modules. */
  public static String classPath() {
    return Stream.of("java.class.path", "jdk.module.path")
        .map(System::getProperty)
        .filter(Objects::nonNull)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns the id of the process. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether the process runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Fails if the process has ended. */
  public void expectAlive() {
    if (!process.isAlive()) {
      throw failure("ended by itself with the exit code " + process.exitValue());
    }
  }

  /** Returns the output so far, which includes the error output. */
  public String log() {
    return String.join("\n", output.log());
  }

  /** Returns whether a line of the standard output starts with a text. */
  public boolean hasLine(String begin) {
    return !output.startingWith(begin).isEmpty();
  }

  /**
   * Waits for a line of the standard output that starts with a text, and returns it. Fails if the
   * process ends without such a line.
   */
  public String awaitLine(String begin) {
    return awaitLines(begin, 1).get(0);
  }

  /** Waits for this number of lines like {@link #awaitLine}. */
  public List<String> awaitLines(String begin, int number) {
    List<String> found = output.await(begin, number, patience);
    if (found.size() < number) {
      throw failure(
          String.format(
              Locale.ROOT,
              "printed %d of %d lines that start with %s",
              found.size(),
              number,
              begin));
    }
    return found;
  }

  /** Waits until the output, which includes the error output, contains a text. */
  public void awaitText(String text) {
    if (!output.awaitText(text, patience)) {
      throw failure("did not print " + text);
    }
  }

  /**
   * Waits for the next line of the standard output; the first call returns the first line. Returns
   * null if the process has ended and no line is left.
   */
  public @Nullable String nextLine() {
    String line = output.take(patience);
    if (line == null && !output.awaitEnd(Duration.ZERO)) {
      throw failure("printed no further line");
    }
    return line;
  }

  /** Writes a text to the standard input. */
  public void write(String text) {
    OutputStream input = process.getOutputStream();
    try {
      input.write(text.getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes the standard input. */
  public void closeInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the processor time of the process so far. */
  public Duration cpuTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Freezes the process: its connections stay open, and it does nothing. */
  public void freeze() {
    Processes.signal("STOP", process.toHandle());
  }

  /** Lets a frozen process continue. */
  public void thaw() {
    Processes.signal("CONT", process.toHandle());
  }

  /** Ends the process at once, like {@code kill -9}. */
  public void kill() {
    // The handle, because Process.destroyForcibly would discard the unread output.
    process.toHandle().destroyForcibly();
    awaitExit();
  }

  /** Asks the process to end, like {@code kill}: its shutdown hooks run. Does not wait. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /** Ends a process that runs, by {@link #terminate}, and returns its exit code. */
  public int end() {
    expectAlive();
    terminate();
    return awaitExit();
  }

  /** Waits until the process and its output have ended, and returns its exit code. */
  public int awaitExit() {
    if (!Processes.hasEnded(process, patience) || !output.awaitEnd(patience)) {
      throw failure("does not end");
    }
    return process.exitValue();
  }

  /** Waits like {@link #awaitExit}, and fails if the exit code is not zero. */
  public void expectSuccess() {
    int code = awaitExit();
    if (code != 0) {
      throw failure("ended with the exit code " + code);
    }
  }

  private AssertionError failure(String what) {
    return new AssertionError(name + " " + what + "; its output:\n" + log());
  }

  /** Waits for the end of the process for a time, and then kills the process. */
  public void close(Duration grace) {
    if (!Processes.hasEnded(process, grace)) {
      kill();
    }
  }

  /** Kills the process if it runs. Does not wait for its end. */
  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }

  /** Builds and starts a process. Not safe for use by many threads. */
  public static final class Builder {
    private final String name;
    private final List<String> main;
    private final List<String> options = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, @Nullable String> environment = new LinkedHashMap<>();
    private String classPath = JavaProcess.classPath();
    private Duration patience = Processes.PATIENCE;
    private @Nullable Path directory;
    private @Nullable String ready;

    private Builder(String name, List<String> main) {
      this.name = name;
      this.main = main;
    }

    /** Adds options of the JVM. A later option overrides an earlier one. */
    public Builder options(String... more) {
      return options(List.of(more));
    }

    /** Adds options of the JVM. A later option overrides an earlier one. */
    public Builder options(List<String> more) {
      options.addAll(more);
      return this;
    }

    /** Adds the options of a JVM that starts fast and has a heap of at most 128 MB. */
    public Builder small() {
      return options("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m");
    }

    /** Adds arguments of the main method. */
    public Builder arguments(String... more) {
      return arguments(List.of(more));
    }

    /** Adds arguments of the main method. */
    public Builder arguments(List<String> more) {
      arguments.addAll(more);
      return this;
    }

    /** Sets the class path, instead of the class path of this JVM. It must contain the kit. */
    public Builder classPath(String classPath) {
      this.classPath = classPath;
      return this;
    }

    /** Sets an environment variable, or removes it if the value is null. */
    public Builder environment(String variable, @Nullable String value) {
      environment.put(variable, value);
      return this;
    }

    /** Sets the working folder. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /** Sets the bound of all waits, instead of two minutes. */
    public Builder patience(Duration patience) {
      this.patience = patience;
      return this;
    }

    /** Lets {@link #start} wait for a line of the standard output that starts with a text. */
    public Builder ready(String begin) {
      ready = begin;
      return this;
    }

    /** Starts the process. */
    public JavaProcess start() {
      JavaProcess started = new JavaProcess(this);
      try {
        if (ready != null) {
          started.awaitLine(ready);
        }
        return started;
      } catch (RuntimeException | Error e) {
        started.close();
        throw e;
      }
    }

    /** Starts the process for a test of its pipes: input and output are for the caller. */
    public Process launch(Redirect errors) {
      return launch(Redirect.PIPE, Redirect.PIPE, errors);
    }

    /** Starts the process for a test of its streams, with each stream as the caller wants it. */
    public Process launch(Redirect input, Redirect output, Redirect errors) {
      Command command = Command.of(command()).environment(environment);
      if (directory != null) {
        command = command.directory(directory);
      }
      return command.launch(input, output, errors);
    }

    /** Returns the words of the command. */
    public List<String> command() {
      List<String> command = new ArrayList<>(List.of(Command.jdkProgram("java")));
      command.addAll(options);
      if (!main.get(0).equals("-jar")) {
        command.addAll(List.of("-cp", classPath));
      }
      command.addAll(main);
      command.addAll(arguments);
      return command;
    }
  }
}
