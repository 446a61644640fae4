package io.punctual.redis;

import io.punctual.Delivery;
import java.util.concurrent.CountDownLatch;

/** The handlers behind the log lines in the documentation. Their names are in the stack traces. */
final class Shop {
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Fails, because there is no stock. */
  @SuppressWarnings("DoNotCallSuggester")
  void ship(Delivery<String> delivery) {
    throw new IllegalStateException("no stock for " + delivery.payload());
  }

  /** Waits until the handler is interrupted, like a call to a supplier who never answers. */
  void callSupplier(Delivery<String> delivery) throws InterruptedException {
    closed.await();
  }

  /**
   * Waits until the test closes the shop, and ignores interrupts, like a call to a bank that never
   * answers.
   */
  void callBank(Delivery<String> delivery) {
    while (closed.getCount() > 0) {
      try {
        closed.await();
      } catch (InterruptedException ignored) {
        // The documentation shows the log lines of a handler that ignores its interrupt.
      }
    }
  }

  void close() {
    closed.countDown();
  }
}
