package io.punctual.view;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a queue is late, and what to do.
 *
 * @param queue the queue's name
 * @param cause the cause; the first that applies, in the order of the rules
 * @param late whether messages of the queue are late now. A cause such as a pause can be found
 *     before any message is late
 * @param reason what keeps the messages, as a sentence without its full stop
 * @param next what to do, as a sentence without its full stop; empty if nothing need be done
 */
public record Diagnosis(String queue, Cause cause, boolean late, String reason, String next)
    implements View {
  /** Returns the first cause that the evidence shows. Asks no store. */
  public static Diagnosis of(Evidence evidence) {
    return new Rules(evidence).diagnosis();
  }

  /** Returns the reason and the next step in one sentence. */
  public String sentence() {
    return next.isEmpty() ? reason : reason + "; " + next;
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("queue", queue)
        .put("cause", cause)
        .put("late", late)
        .put("reason", reason)
        .put("next", next.isEmpty() ? null : next)
        .toMap();
  }
}
