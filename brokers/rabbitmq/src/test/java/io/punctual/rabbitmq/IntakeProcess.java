package io.punctual.rabbitmq;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An intake in a separate process, so that a test can kill it. */
final class IntakeProcess implements AutoCloseable {
  private final JavaProcess process;

  private IntakeProcess(JavaProcess process) {
    this.process = process;
  }

  /**
   * Runs in the process. The arguments are the broker's port, the store, the source, and optionally
   * a number of messages: a line says when so many are stored and all are acked.
   */
  public static void main(String[] args) throws Exception {
    ConnectionFactory factory = RabbitBroker.connections(Integer.parseInt(args[0]));
    try (Punctual punctual = Punctual.open(args[1])) {
      try (RabbitIntake intake =
          RabbitIntake.builder(punctual.queue("delayed", Codec.bytes()), factory)
              .source(args[2])
              .target(args[2] + ".due", "direct")
              .start()) {
        System.out.println("ready");
        if (args.length > 3) {
          long messages = Long.parseLong(args[3]);
          await()
              .forever()
              .pollInterval(Duration.ofMillis(50))
              .until(() -> isDone(intake.intakeStats(), messages));
        }
        System.out.println("done");
        intake.await();
      }
    }
  }

  private static boolean isDone(IntakeStats stats, long messages) {
    return stats.stored() >= messages && stats.unacked() == 0;
  }

  /** Starts the process, and returns when its intake runs. */
  static IntakeProcess start(RabbitBroker broker, Path journal, String source, String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of(Integer.toString(broker.port()), "journal:" + journal, source));
    arguments.addAll(List.of(more));
    return new IntakeProcess(
        JavaProcess.of(IntakeProcess.class)
            .options("-Xmx256m")
            .arguments(arguments)
            .ready("ready")
            .start());
  }

  /** Waits until as many messages are stored as the process was told. */
  void awaitDone() {
    String unused = process.awaitLine("done");
  }

  /** Kills the process, as {@code kill -9} does. */
  @Override
  public void close() {
    process.kill();
  }
}
