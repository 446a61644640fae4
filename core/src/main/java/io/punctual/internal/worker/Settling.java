package io.punctual.internal.worker;

import io.punctual.Durability;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import org.jspecify.annotations.Nullable;

/**
 * How the deliveries of one worker or manual claim are settled. Immutable.
 *
 * @param queue the queue's name
 * @param env the runtime's surroundings
 * @param log where failures are reported
 * @param durability what settlements ask for, or null for the store's own
 * @param watch is notified of settlements in flight
 */
public record Settling(
    String queue,
    Environment env,
    HandlerLog log,
    @Nullable Durability durability,
    SettlementWatch watch) {

  /** Is notified of settlements in flight, so that a worker can bound them and wait for them. */
  public interface SettlementWatch {
    /** A settlement was submitted. */
    void submitted();

    /** A settlement has its answer, or will never have one. */
    void answered();

    /** Ignores settlements. */
    SettlementWatch NONE =
        new SettlementWatch() {
          @Override
          public void submitted() {
            // Nobody waits.
          }

          @Override
          public void answered() {
            // Nobody waits.
          }
        };
  }
}
