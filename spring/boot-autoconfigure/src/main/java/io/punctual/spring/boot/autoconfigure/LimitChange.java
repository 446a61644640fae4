package io.punctual.spring.boot.autoconfigure;

import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * A request to change the limits of a queue. A component that is null keeps the present value, or
 * means the default of a new rate. The text 0 as the rate or the concurrency removes this limit.
 * The components are texts, so that the reply to a wrong text can name the remedy.
 */
record LimitChange(
    @Nullable String rate,
    @Nullable String per,
    @Nullable String burst,
    @Nullable String concurrency) {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TENTH = Duration.ofMillis(100);

  /**
   * Changes the limits, and returns the new limits.
   *
   * @throws IllegalArgumentException if a component is wrong; the message names the remedy
   */
  QueueLimits makeAt(TimedQueue<?> queue) {
    if (rate == null && per == null && burst == null && concurrency == null) {
      throw new IllegalArgumentException(
          "The request names no limit; add rate, per, burst or concurrency, with 0 for no limit");
    }
    QueueLimits before = queue.limits();
    QueueLimits rates = rates(before, queue.partitions());
    int places = number(concurrency, "concurrency", before.concurrency());
    QueueLimits after = new QueueLimits(rates.rate(), rates.per(), rates.burst(), places);
    queue.setLimits(after);
    return after;
  }

  private QueueLimits rates(QueueLimits before, int partitions) {
    int messages = number(rate, "rate", before.rate());
    if (messages == 0) {
      if (per != null || burst != null) {
        throw new IllegalArgumentException(
            "per and burst need a rate, but the queue would have no limit of the rate; add a rate");
      }
      return QueueLimits.none();
    }
    Duration time = per == null ? (before.hasRate() ? before.per() : SECOND) : duration(per);
    QueueLimits spaced = QueueLimits.none().rate(messages, time, 1);
    int most = before.hasRate() ? before.burst() : Math.max(partitions, tenth(spaced));
    return QueueLimits.none().rate(messages, time, number(burst, "burst", most));
  }

  /**
   * Returns the number of messages that the rate allows in a tenth of a second, at most the largest
   * burst.
   */
  private static int tenth(QueueLimits limits) {
    long tenth = limits.rate() * TENTH.toNanos() / limits.per().toNanos();
    return (int) Math.min(QueueLimits.MAX_BURST, tenth);
  }

  private static int number(@Nullable String text, String name, int absent) {
    if (text == null) {
      return absent;
    }
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "The " + name + " '" + text + "' is not a whole number; write for example 100", e);
    }
  }

  private static Duration duration(String text) {
    try {
      return DurationStyle.detectAndParse(text);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "The time per '" + text + "' is not a duration; write for example 500ms, 1s or 1m", e);
    }
  }
}
