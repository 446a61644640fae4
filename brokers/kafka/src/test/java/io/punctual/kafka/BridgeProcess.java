package io.punctual.kafka;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a bridge in a separate process until its queue is empty. */
final class BridgeProcess {
  private BridgeProcess() {}

  static Process start(String url, String broker, String topic) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            List.of(
                java,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                BridgeProcess.class.getName(),
                url,
                broker,
                topic))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /**
   * Runs in the process. The arguments are the URL of the store, the address of the broker, and the
   * topic.
   */
  public static void main(String[] args) throws InterruptedException {
    try (Punctual punctual = Punctual.open(args[0])) {
      TimedQueue<byte[]> queue = punctual.queue("reminders", Codec.bytes());
      try (KafkaBridge bridge =
          KafkaBridge.builder(queue, Map.of("bootstrap.servers", args[1])).topic(args[2]).start()) {
        boolean told = false;
        for (Counts counts = queue.counts();
            counts.ready() + counts.leased() + counts.scheduled() > 0;
            counts = queue.counts()) {
          if (!told && bridge.stats().handled() > 0) {
            System.out.println("sending");
            told = true;
          }
          TimeUnit.MILLISECONDS.sleep(5);
        }
      }
    }
  }
}
