package io.punctual.internal.claim;

import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.handler.DeadCall;
import io.punctual.internal.handler.LeaseKeeper;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import java.time.Duration;
import java.util.List;

/**
 * Runs the calls of the dead handler for manual claims, on the threads of {@link
 * io.punctual.internal.runtime.Callbacks}. Immutable.
 *
 * @param leaseMillis the length of a lease after each renewal during a call
 */
record ManualDeadCalls<T>(DeliveryRules<T> rules, long leaseMillis) implements DeadCall.Context<T> {
  /** Starts a call for these messages, if there are any; does not wait for it. */
  void start(List<DeliveryRules.Dying<T>> dying) {
    if (!dying.isEmpty()) {
      new DeadCall<>(dying, rules.deadHandler(), this, () -> {})
          .start(env().callbacks()::executeBlocking);
    }
  }

  private Environment env() {
    return rules.settling().env();
  }

  @Override
  public LeaseKeeper<T> keeper(
      List<ClientDelivery<T>> deliveries, LeaseKeeper.LeaseListener listener, int calls) {
    return new LeaseKeeper<>(env(), deliveries, leaseMillis, true, Long.MAX_VALUE, listener);
  }

  @Override
  public void refused(Throwable failure, Duration delay) {
    log().deadHandlerRefused(delay, failure);
  }

  @Override
  public boolean interruptsOnLeaseLost() {
    return false;
  }

  @Override
  public void ignoresTimeout(String id, Thread handler) {
    throw new IllegalStateException("A manual claim has no time-out for handlers");
  }

  @Override
  public HandlerLog log() {
    return rules.settling().log();
  }
}
