package io.punctual.redis;

import io.punctual.Delivery;
import java.util.concurrent.CountDownLatch;

/** Handlers of the log lines in the documentation; their names are in the stack traces. */
final class Shop {
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Fails. */
  @SuppressWarnings("DoNotCallSuggester")
  void ship(Delivery<String> delivery) {
    throw new IllegalStateException("no stock for " + delivery.payload());
  }

  /** Waits for an answer that never comes, until it is interrupted. */
  void callSupplier(Delivery<String> delivery) throws InterruptedException {
    closed.await();
  }

  /** Waits for an answer that never comes, and ignores interrupts. */
  void callBank(Delivery<String> delivery) {
    while (closed.getCount() > 0) {
      try {
        closed.await();
      } catch (InterruptedException ignored) {
        // This handler is in the documentation because it ignores its interrupt.
      }
    }
  }

  void close() {
    closed.countDown();
  }
}
