package io.punctual.internal.delivery;

import io.punctual.Durability;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import org.jspecify.annotations.Nullable;

/**
 * The context of the settlements of a worker or a manual claim. Immutable.
 *
 * @param queue the queue's name
 * @param env the runtime's environment
 * @param log receives failures
 * @param durability the durability that settlements require, or null for the store's own setting
 * @param watch receives notices of settlements in flight
 * @param isolation keeps the messages apart that may end this process
 */
public record SettlementContext(
    String queue,
    Environment env,
    HandlerLog log,
    @Nullable Durability durability,
    SettlementWatch watch,
    Isolation isolation) {

  /**
   * Receives notices for a worker. The worker bounds its settlements in flight and waits for them,
   * and counts failed attempts and dead letters.
   */
  public interface SettlementWatch {
    /** Notes that a settlement was submitted. */
    void submitted();

    /** Notes that a settlement was answered, or ended without an answer. */
    void answered();

    /** Notes that an attempt failed: the handler failed, or the payload could not be decoded. */
    default void failed() {
      // Manual claims have no statistics.
    }

    /** Notes that the store has confirmed a dead letter. */
    default void buried() {
      // Manual claims have no statistics.
    }

    /** A watch that ignores all notices. */
    SettlementWatch NONE =
        new SettlementWatch() {
          @Override
          public void submitted() {
            // No worker waits for this settlement.
          }

          @Override
          public void answered() {
            // No worker waits for this settlement.
          }
        };
  }
}
