package io.punctual.kit.simulation;

import io.punctual.QueueLimits;
import io.punctual.kit.simulation.Engine.PartitionId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks at the engine that claims respect the limits of their queue. To check the rate, it adds
 * the deliveries of all partitions to a bucket that leaks at the rate. To check the concurrency, it
 * counts the leased messages of all partitions. After a change of the limits, the bucket is empty.
 * After the engine lost its last changes (a roll-back), the limits are not checked until their next
 * change. If the clock steps back, the time that really passed counts. Not thread-safe.
 */
final class LimitsJudge {
  private static final double ROUNDING = 0.001;

  private final List<String> complaints;
  private final Map<String, Bucket> buckets = new HashMap<>();
  private final Map<PartitionId, Long> lastClaims = new HashMap<>();

  LimitsJudge(List<String> complaints) {
    this.complaints = complaints;
  }

  private static final class Bucket {
    private final QueueLimits limits;

    /** The highest limit of the concurrency since the queue last had no leased messages. */
    private int highest;

    private double level;
    private @Nullable Instant last;
    private long lastNanos;

    Bucket(QueueLimits limits, int highest) {
      this.limits = limits;
      this.highest = highest;
    }

    static int highest(QueueLimits limits) {
      return limits.hasConcurrency() ? limits.concurrency() : Integer.MAX_VALUE;
    }

    /** Adds deliveries, and returns whether the bucket flows over. */
    boolean flowsOver(int deliveries, EngineClock clock) {
      Instant now = clock.instant();
      if (last != null) {
        long byClock = Duration.between(last, now).toNanos();
        long passed = Math.max(byClock, clock.nanoTime() - lastNanos);
        level = Math.max(0, level - (double) passed * limits.rate() / limits.per().toNanos());
      }
      last = now;
      lastNanos = clock.nanoTime();
      level += deliveries;
      return level > limits.burst() + ROUNDING;
    }
  }

  /**
   * Returns the time at which a claim last delivered messages of this partition of a limited queue,
   * in nanoseconds from the start of the simulation; 0 if no claim did.
   */
  long lastClaim(PartitionId id) {
    return lastClaims.getOrDefault(id, 0L);
  }

  /**
   * Notes a change of the limits. Messages that are leased already may stay leased above a lower
   * limit.
   *
   * @param leased the number of leased messages of the queue
   */
  void changed(String queue, QueueLimits limits, long leased) {
    Bucket before = buckets.get(queue);
    int highest = Bucket.highest(limits);
    if (leased > 0) {
      highest = Math.max(highest, before == null ? Integer.MAX_VALUE : before.highest);
    }
    buckets.put(queue, new Bucket(limits, highest));
  }

  void deleted(String queue) {
    buckets.remove(queue);
  }

  void rolledBack() {
    buckets.replaceAll((queue, bucket) -> new Bucket(QueueLimits.none(), Integer.MAX_VALUE));
  }

  /**
   * Checks a claim that delivered messages.
   *
   * @param before the number of leased messages of the queue before the claim
   * @param after the number of leased messages of the queue after the claim
   */
  void claimed(PartitionId id, int deliveries, long before, long after, EngineClock clock) {
    Bucket bucket = buckets.get(id.queue());
    if (bucket == null) {
      return;
    }
    lastClaims.put(id, clock.nanoTime());
    QueueLimits limits = bucket.limits;
    if (limits.hasRate() && bucket.flowsOver(deliveries, clock)) {
      complaints.add("delivered faster than " + limits + ": " + id + " at " + clock.instant());
    }
    if (before == 0) {
      bucket.highest = Bucket.highest(limits);
    }
    if (after > before && after > bucket.highest) {
      complaints.add(
          after + " leased messages with " + limits + ": " + id + " at " + clock.instant());
    }
  }
}
