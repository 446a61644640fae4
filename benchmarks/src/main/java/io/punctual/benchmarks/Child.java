package io.punctual.benchmarks;

import io.punctual.kit.process.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A separate JVM with the same class path. The process prints its replies as lines on standard
 * output. It must exit at the end of its work, or when its standard input closes. Not safe for use
 * by many threads.
 */
public final class Child implements AutoCloseable {
  private static final String END = "end";
  private static final Duration GRACE = Duration.ofSeconds(30);

  /** The bound of the time between two replies. A trial can take long. */
  private static final Duration PATIENCE = Duration.ofHours(6);

  private final JavaProcess process;

  private Child(JavaProcess process) {
    this.process = process;
  }

  /** Starts {@code main} in a new JVM, with this process's standard error. */
  public static Child start(Class<?> main, List<String> jvmOptions, String... arguments) {
    return new Child(
        JavaProcess.of(main)
            .options(jvmOptions)
            .options("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .arguments(arguments)
            .inheritErrors()
            .patience(PATIENCE)
            .start());
  }

  /** Sends an empty line, to a process that waits for a line on its standard input. */
  public void tell() {
    process.write("\n");
  }

  /** Waits for a line of the process; returns null if the process has ended. */
  public @Nullable String answer() {
    return process.nextLine();
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
    return process.cpuTime().toNanos() / 1e9;
  }

  /** Kills the process, as {@code kill -9} does. */
  public void kill() {
    process.kill();
  }

  /** Asks the process to exit, and kills the process if it does not exit in time. */
  @Override
  public void close() {
    process.closeInput();
    process.close(GRACE);
  }
}
