package io.punctual.benchmarks.queue;

import java.nio.file.Path;

/**
 * A process of a trial: {@code QueueChild rates|takes|produce|consume|both <orders>}. Prints {@code
 * ready} when it consumes, {@code filled} and the number of messages of the warm-up when it has
 * scheduled the backlog and the warm-up is over, and {@code produced} when it has scheduled all
 * messages; {@link ScheduleRates} and {@link Takes} print other lines. Exits at the end of the
 * rates or takes, otherwise when its standard input closes.
 */
final class QueueChild {
  private QueueChild() {}

  public static void main(String[] args) throws Exception {
    Orders orders = Orders.of(args[1]);
    switch (args[0]) {
      case "rates" -> new ScheduleRates(orders).measure();
      case "takes" -> new Takes(orders).run();
      case "produce" -> produce(orders);
      case "consume" -> consume(orders, false);
      case "both" -> consume(orders, true);
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  private static void produce(Orders orders) throws Exception {
    try (QueueContender queue = orders.kind().open(orders.url());
        MessageLog log = new MessageLog(Path.of(orders.scheduledLog()))) {
      new Producer(orders, queue, log).run();
      System.out.println("produced");
      awaitEnd();
    }
  }

  private static void consume(Orders orders, boolean producing) throws Exception {
    try (QueueContender queue = orders.kind().open(orders.url());
        MessageLog delivered = new MessageLog(Path.of(orders.deliveredLog()));
        MessageLog scheduled = new MessageLog(Path.of(orders.scheduledLog()))) {
      queue.consume(orders.handlers(), payload -> handle(orders, payload, delivered));
      System.out.println("ready");
      if (producing) {
        new Producer(orders, queue, scheduled).run();
        System.out.println("produced");
      }
      awaitEnd();
    }
  }

  /**
   * Does the handler's work, and only then logs the message, so that a message whose handler was
   * killed is not in the log.
   */
  private static void handle(Orders orders, byte[] payload, MessageLog delivered) {
    if (orders.handlerMillis() == 0) {
      delivered.add(payload);
      return;
    }
    try {
      Thread.sleep(orders.handlerMillis());
      delivered.add(payload);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void awaitEnd() throws Exception {
    int read;
    do {
      read = System.in.read();
    } while (read >= 0);
  }
}
