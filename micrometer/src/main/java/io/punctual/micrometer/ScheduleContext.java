package io.punctual.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;
import java.util.Objects;

/**
 * The context of an observation {@code punctual.schedule}. The carrier of the trace is the headers
 * of the message. Not thread-safe.
 */
public final class ScheduleContext extends SenderContext<Map<String, String>> {
  private final String queue;
  private final String id;
  private volatile String outcome = Outcomes.OPEN;

  ScheduleContext(String queue, String id, Map<String, String> headers) {
    super((carrier, key, value) -> Objects.requireNonNull(carrier).put(key, value), Kind.PRODUCER);
    this.queue = queue;
    this.id = id;
    setCarrier(headers);
  }

  /** Returns the queue's name. */
  public String queue() {
    return queue;
  }

  /** Returns the message's id. */
  public String id() {
    return id;
  }

  /**
   * Returns {@code success} or {@code failure} after the schedule has ended, and {@code none}
   * before.
   */
  public String outcome() {
    return outcome;
  }

  void ended(String outcome) {
    this.outcome = outcome;
  }
}
