package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records the messages that were published and received, and finds lost and early messages. */
final class Ledger {
  private final Map<String, Long> due = new ConcurrentHashMap<>();
  private final Map<String, Boolean> confirmed = new ConcurrentHashMap<>();
  private final Map<String, Integer> received = new ConcurrentHashMap<>();
  private final Queue<Long> lateness = new ConcurrentLinkedQueue<>();
  private final Queue<String> early = new ConcurrentLinkedQueue<>();

  /** Records the due time, before the message is published. */
  void publishing(String payload, Duration delay) {
    due.put(payload, System.nanoTime() + delay.toNanos());
  }

  void confirmed(String payload) {
    confirmed.put(payload, true);
  }

  /** Returns whether the message was published, and not received yet. */
  boolean awaits(String payload) {
    return due.containsKey(payload) && !received.containsKey(payload);
  }

  /** Records a delivery. */
  void received(String payload) {
    long late = System.nanoTime() - due.get(payload);
    if (late < 0) {
      early.add(payload + " by " + -late + " ns");
    }
    if (received.merge(payload, 1, Integer::sum) == 1) {
      lateness.add(late);
    }
  }

  int confirmed() {
    return confirmed.size();
  }

  int receivedConfirmed() {
    return (int) confirmed.keySet().stream().filter(received::containsKey).count();
  }

  boolean hasAll() {
    return received.keySet().containsAll(confirmed.keySet());
  }

  List<String> lost() {
    return confirmed.keySet().stream().filter(id -> !received.containsKey(id)).toList();
  }

  /** Returns the number of deliveries without the first delivery of each message. */
  int duplicates() {
    return received.values().stream().mapToInt(count -> count - 1).sum();
  }

  void assertNothingLostOrEarly() {
    assertThat(lost()).as("lost").isEmpty();
    assertThat(early).as("early").isEmpty();
  }

  /** Returns a percentile of the lateness of first deliveries, in milliseconds. */
  double latenessMillis(double percentile) {
    List<Long> sorted = new ArrayList<>(lateness);
    sorted.sort(null);
    int index = (int) Math.ceil(percentile / 100 * sorted.size()) - 1;
    return sorted.get(Math.max(0, index)) / 1e6;
  }
}
