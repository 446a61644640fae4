package io.punctual.kafka;

/** A broker that all test classes of the JVM share. Each test has topics of its own. */
final class SharedKafkaBroker {
  private static KafkaBroker broker;

  private SharedKafkaBroker() {}

  /** Returns the broker. The first call starts it; it ends with the JVM. */
  static synchronized KafkaBroker get() throws Exception {
    if (broker == null) {
      broker = KafkaBroker.start();
      Runtime.getRuntime().addShutdownHook(new Thread(SharedKafkaBroker::close));
    }
    return broker;
  }

  private static void close() {
    try {
      broker.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
