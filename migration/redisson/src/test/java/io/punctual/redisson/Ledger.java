package io.punctual.redisson;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The offered payloads, and the deliveries of each side. Safe for use by many threads. */
final class Ledger {
  private static final long HIGHEST_MILLIS = 3_600_000;

  private final Map<String, Long> dues = new ConcurrentHashMap<>();
  private final Map<String, String> delivered = new ConcurrentHashMap<>();
  private final AtomicLong byRedisson = new AtomicLong();
  private final AtomicLong byPunctual = new AtomicLong();

  /** The lateness of the deliveries by Redisson's takers, in milliseconds. */
  final Histogram latenessOfRedisson = new ConcurrentHistogram(HIGHEST_MILLIS, 3);

  /** The lateness of the deliveries by Punctual's workers, in milliseconds. */
  final Histogram latenessOfPunctual = new ConcurrentHistogram(HIGHEST_MILLIS, 3);

  /** The deliveries that break a promise: early, twice, or of a payload that nobody offered. */
  final Queue<String> breaches = new ConcurrentLinkedQueue<>();

  /** Notes a payload before it is offered. */
  void offering(String payload, long delayMillis) {
    dues.put(payload, System.currentTimeMillis() + delayMillis);
  }

  void redissonDelivered(String payload) {
    byRedisson.incrementAndGet();
    delivered("Redisson", payload, latenessOfRedisson);
  }

  void punctualDelivered(String payload) {
    byPunctual.incrementAndGet();
    delivered("Punctual", payload, latenessOfPunctual);
  }

  private void delivered(String side, String payload, Histogram lateness) {
    long now = System.currentTimeMillis();
    Long due = dues.get(payload);
    String before = delivered.putIfAbsent(payload, side);
    if (due == null) {
      breaches.add(payload + " was never offered");
    } else if (before != null) {
      breaches.add(payload + " was delivered by " + before + " and again by " + side);
    } else if (now < due) {
      breaches.add(payload + " was early by " + (due - now) + " ms at " + side);
    } else {
      lateness.recordValue(Math.min(HIGHEST_MILLIS, now - due));
    }
  }

  long offered() {
    return dues.size();
  }

  boolean isComplete() {
    return delivered.size() == dues.size();
  }

  long countOfRedisson() {
    return byRedisson.get();
  }

  long countOfPunctual() {
    return byPunctual.get();
  }

  @Override
  public String toString() {
    return String.format(
        "%d offered, %d delivered by Redisson (p99 %d ms late), %d by Punctual (p99 %d ms late)",
        dues.size(),
        byRedisson.get(),
        latenessOfRedisson.getValueAtPercentile(99),
        byPunctual.get(),
        latenessOfPunctual.getValueAtPercentile(99));
  }
}
