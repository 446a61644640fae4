package io.punctual.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.kit.process.Command;
import io.punctual.kit.process.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A separate process. The process prints its replies as lines on standard output. It must exit at
 * the end of its work, or when its standard input closes. Not safe for use by many threads.
 */
public final class Child implements AutoCloseable {
  private static final String END = "end";
  private static final long GRACE_SECONDS = 30;

  private final Process process;
  private final BufferedReader replies;

  private Child(Process process) {
    this.process = process;
    replies = process.inputReader(UTF_8);
  }

  /**
   * Starts {@code main} in a new JVM, with the class path and the standard error of this process.
   */
  public static Child start(Class<?> main, List<String> jvmOptions, String... arguments) {
    return new Child(
        JavaProcess.of(main)
            .options(jvmOptions)
            .options("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .arguments(arguments)
            .launch(Redirect.INHERIT));
  }

  /** Starts a program, with the standard error of this process. */
  public static Child start(Command command) {
    return new Child(command.launch(Redirect.PIPE, Redirect.PIPE, Redirect.INHERIT));
  }

  /** Sends an empty line, to a process that waits for a line on its standard input. */
  public void tell() {
    OutputStream input = process.getOutputStream();
    try {
      input.write('\n');
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a line of the process; returns null if the process has ended. */
  public @Nullable String answer() {
    try {
      return replies.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a line of the process; throws an exception if the process has ended. */
  public String expect() throws IOException {
    String line = answer();
    if (line == null) {
      throw new IOException("A process ended before it answered; its errors are above");
    }
    return line;
  }

  /** Reads {@linkplain Sample#line samples}, until the process prints the line {@value #END}. */
  public List<Sample> expectSamples() throws IOException {
    List<Sample> samples = new ArrayList<>();
    for (String line = expect(); !line.equals(END); line = expect()) {
      samples.add(Sample.parse(line));
    }
    return samples;
  }

  /** Prints samples for {@link #expectSamples} of the parent process. */
  public static void print(List<Sample> samples) {
    samples.forEach(sample -> System.out.println(sample.line()));
    System.out.println(END);
  }

  /** The processor time of the process in seconds. */
  public double cpuSeconds() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
  }

  /** Kills the process, as {@code kill -9} does. Its output remains readable. */
  public void kill() {
    // The handle, because Process.destroyForcibly closes the output.
    process.toHandle().destroyForcibly();
    boolean unused = hasEnded();
  }

  private boolean hasEnded() {
    try {
      return process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Asks the process to exit, and kills the process if it does not exit in time. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!hasEnded()) {
      kill();
    }
  }
}
