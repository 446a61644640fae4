package io.punctual.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.nio.file.Path;

/** An intake in a separate process, so that a test can kill it. */
final class IntakeProcess implements AutoCloseable {
  private final JavaProcess process;

  private IntakeProcess(JavaProcess process) {
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
    return new IntakeProcess(
        JavaProcess.of(IntakeProcess.class)
            .options("-Xmx256m")
            .arguments(Integer.toString(broker.port()), "journal:" + journal, source)
            .ready("ready")
            .start());
  }

  /** Kills the process, as {@code kill -9} does. */
  @Override
  public void close() {
    process.kill();
  }
}
