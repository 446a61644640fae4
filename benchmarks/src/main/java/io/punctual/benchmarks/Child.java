package io.punctual.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A separate JVM with the same class path. The process prints its replies as lines on standard
 * output. It must exit at the end of its work, or when its standard input closes. Not safe for use
 * by many threads.
 */
public final class Child implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;
  private static final String END = "end";

  private final Process process;
  private final BufferedReader answers;

  private Child(Process process) {
    this.process = process;
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts {@code main} in a new JVM, with this process's standard error. */
  public static Child start(Class<?> main, List<String> jvmOptions, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new Child(process);
  }

  /** Sends an empty line, to a process that waits for a line on its standard input. */
  public void tell() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Waits for a line of the process; returns null if the process has ended. */
  public @Nullable String answer() throws IOException {
    return answers.readLine();
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

  /** Kills the process, as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Asks the process to exit, and kills the process if it does not exit in time. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
