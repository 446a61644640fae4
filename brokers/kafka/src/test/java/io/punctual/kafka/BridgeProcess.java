package io.punctual.kafka;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.process.JavaProcess;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a bridge in a separate process until its queue is empty. */
final class BridgeProcess {
  static final String SENDING = "sending";

  private BridgeProcess() {}

  static JavaProcess start(String url, String broker, String topic) {
    return JavaProcess.of(BridgeProcess.class).small().arguments(url, broker, topic).start();
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
            System.out.println(SENDING);
            told = true;
          }
          TimeUnit.MILLISECONDS.sleep(5);
        }
      }
    }
  }
}
