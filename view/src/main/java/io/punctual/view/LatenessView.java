package io.punctual.view;

import io.punctual.Lateness;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How late handlers received messages, in milliseconds.
 *
 * @param p50 the time within which half of the messages were received
 * @param p99 the time within which 99 of 100 messages were received
 * @param max the lateness of the latest message
 */
public record LatenessView(BigDecimal p50, BigDecimal p99, BigDecimal max) implements View {
  /** Returns the view, or null if there were no messages. */
  public static @Nullable LatenessView of(Lateness lateness) {
    return lateness.count() == 0
        ? null
        : new LatenessView(
            Values.millis(lateness.percentile(50)),
            Values.millis(lateness.percentile(99)),
            Values.millis(lateness.max()));
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree().put("p50", p50).put("p99", p99).put("max", max).toMap();
  }
}
