package io.punctual.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.punctual.Delivery;
import io.punctual.Worker;
import java.util.List;
import java.util.Map;

/**
 * The context of an observation {@code punctual.process}. The carrier of the trace is the headers
 * of the first message. The getter of this context reads them only with {@link Propagation#PARENT}.
 * Not thread-safe.
 */
public final class ProcessContext extends ReceiverContext<Map<String, String>> {
  private final Worker worker;
  private final List<? extends Delivery<?>> deliveries;
  private final Propagation propagation;
  private volatile String outcome = Outcomes.OPEN;

  ProcessContext(Worker worker, List<? extends Delivery<?>> deliveries, Propagation propagation) {
    super(
        (carrier, key) -> propagation == Propagation.PARENT ? carrier.get(key) : null,
        Kind.CONSUMER);
    this.worker = worker;
    this.deliveries = deliveries;
    this.propagation = propagation;
    setCarrier(deliveries.get(0).headers());
  }

  /** Returns the worker whose handler runs. */
  public Worker worker() {
    return worker;
  }

  /** Returns the delivery of the handler, or the deliveries of a batch handler; unmodifiable. */
  public List<? extends Delivery<?>> deliveries() {
    return deliveries;
  }

  /** Returns how the trace of the handler relates to the trace of the schedule. */
  public Propagation propagation() {
    return propagation;
  }

  /**
   * Returns {@code success} or {@code failure} after the handler has ended, and {@code none}
   * before.
   */
  public String outcome() {
    return outcome;
  }

  void ended(String outcome) {
    this.outcome = outcome;
  }
}
