package io.punctual.redis;

import io.punctual.internal.log.Logs;
import org.slf4j.Logger;

/**
 * Logs once when some partitions do not reply to the safety check (see {@link SafetyQuestion}), and
 * once when all of them reply again. A check without a single reply fails, and this class does not
 * log it. Thread-safe.
 */
final class SafetyLog {
  private static final Logger log = Logs.of(SafetyLog.class);

  private final String store;
  private boolean failing;

  SafetyLog(String store) {
    this.store = store;
  }

  void allAnswered() {
    if (change(false)) {
      log.info("All partitions of {} answer the safety check again", store);
    }
  }

  void someFailed(int failed, int partitions, Throwable failure) {
    if (change(true)) {
      log.warn(
          "{} of {} partitions of {} do not answer the safety check. Until they answer, a message"
              + " there can be late if its hint is lost: {}",
          failed,
          partitions,
          store,
          failure.getMessage());
    }
  }

  private synchronized boolean change(boolean fails) {
    boolean changes = failing != fails;
    failing = fails;
    return changes;
  }
}
