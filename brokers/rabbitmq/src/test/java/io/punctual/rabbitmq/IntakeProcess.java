package io.punctual.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Punctual;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** An intake in a separate process, so that a test can kill it. */
final class IntakeProcess implements AutoCloseable {
  private final Process process;

  private IntakeProcess(Process process) {
    this.process = process;
  }

  /** Runs in the process. The arguments are the broker's port, the store and the source. */
  public static void main(String[] args) throws Exception {
    ConnectionFactory factory = RabbitBroker.connections(Integer.parseInt(args[0]));
    try (Punctual punctual = Punctual.open(args[1])) {
      try (RabbitIntake intake =
          RabbitIntake.builder(punctual.queue("delayed", Codec.bytes()), factory)
              .source(args[2])
              .target(args[2] + ".due", "direct")
              .start()) {
        System.out.println("ready");
        intake.await();
      }
    }
  }

  /** Starts the process, and returns when its intake runs. */
  static IntakeProcess start(RabbitBroker broker, Path journal, String source) {
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-cp",
                  System.getProperty("java.class.path").replace(File.pathSeparator + "null", ""),
                  IntakeProcess.class.getName(),
                  Integer.toString(broker.port()),
                  "journal:" + journal,
                  source)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      if (!"ready".equals(process.inputReader(StandardCharsets.UTF_8).readLine())) {
        throw new IllegalStateException("The process ended: " + process.waitFor());
      }
      return new IntakeProcess(process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Kills the process, as {@code kill -9} does. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("Process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
