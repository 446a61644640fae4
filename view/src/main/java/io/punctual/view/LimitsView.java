package io.punctual.view;

import io.punctual.QueueLimits;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue; 0 without a limit.
 *
 * @param rate the number of messages in each {@code perMillis}
 * @param perMillis the time of the rate
 * @param burst the number of messages that can follow at once after an idle time
 * @param concurrency the largest number of leased messages
 */
public record LimitsView(int rate, BigDecimal perMillis, int burst, int concurrency)
    implements View {
  /** Returns the view of limits. */
  public static LimitsView of(QueueLimits limits) {
    return new LimitsView(
        limits.rate(), Values.millis(limits.per()), limits.burst(), limits.concurrency());
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("rate", rate)
        .put("perMillis", perMillis)
        .put("burst", burst)
        .put("concurrency", concurrency)
        .toMap();
  }
}
