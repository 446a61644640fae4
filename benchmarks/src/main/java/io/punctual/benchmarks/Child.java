package io.punctual.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own on the same class path, talked to in lines: it answers on standard output, and
 * ends when its standard input does. Not safe for use by many threads.
 */
public final class Child implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;

  private final Process process;
  private final BufferedReader answers;

  private Child(Process process) {
    this.process = process;
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts {@code main}; what it writes to standard error is shown. */
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

  /** Lets it go on when it waits for its standard input. */
  public void tell() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Waits for a line; null when the process has ended. */
  public @Nullable String answer() throws IOException {
    return answers.readLine();
  }

  /** Waits for a line that must come. */
  public String expect() throws IOException {
    String line = answer();
    if (line == null) {
      throw new IOException("a process ended before it answered; see above what it said");
    }
    return line;
  }

  /** Ends it at once, as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Asks it to end, and ends it when it does not. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
