package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of an application. A thread collects the lines of its output. */
final class ApplicationProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final Thread reader;
  private boolean ended;

  private ApplicationProcess(Process process) {
    this.process = process;
    reader = new Thread(this::read, "application-output");
    reader.setDaemon(true);
    reader.start();
  }

  static ApplicationProcess start(Class<?> application, String... properties) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(application.getName());
    command.add("--server.port=0");
    command.add("--spring.docker.compose.enabled=false");
    command.addAll(List.of(properties));
    return new ApplicationProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  private void read() {
    try (Stream<String> output = process.inputReader().lines()) {
      output.forEach(this::add);
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  String awaitLine(String begin) throws InterruptedException {
    return awaitLines(begin, 1).get(0);
  }

  /** Waits until the output has this number of lines that begin with a text, and returns them. */
  synchronized List<String> awaitLines(String begin, int number) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      List<String> found =
          lines.stream().filter(line -> line.startsWith(begin)).limit(number).toList();
      if (found.size() == number) {
        return found;
      }
      long left = deadline - System.nanoTime();
      if (ended || left <= 0) {
        throw new AssertionError("No " + number + " lines " + begin + ":\n" + output());
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  synchronized String output() {
    return String.join("\n", lines);
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Writes a byte to the process, so that its waiting handlers and requests end. */
  void openGate() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Waits for the end of the process and of its output. */
  void awaitEnd() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("the process ends")
        .isTrue();
    reader.join(PATIENCE.toMillis());
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
