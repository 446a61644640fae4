package io.punctual.server.config;

import io.punctual.RetryPolicy;
import io.punctual.internal.message.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The retries of the failures that workers report.
 *
 * @param entries the policies, with the one that applies before others first
 */
public record RetryConfig(List<Entry> entries) {
  private static final long MOST_ATTEMPTS = 1_000_000;
  private static final int DEFAULT_ATTEMPTS = RetryPolicy.DEFAULT.maxAttempts();
  private static final Duration DEFAULT_FIRST = Duration.ofSeconds(1);
  private static final Duration DEFAULT_MAX = Duration.ofMinutes(5);

  /** Sorts the entries: those of one queue first, then the longest prefix. */
  public RetryConfig {
    List<Entry> sorted = new ArrayList<>(entries);
    sorted.sort(
        (one, other) ->
            one.isPrefix == other.isPrefix
                ? Integer.compare(other.queue.length(), one.queue.length())
                : Boolean.compare(one.isPrefix, other.isPrefix));
    entries = List.copyOf(sorted);
  }

  /**
   * The retries of a queue, or of all queues whose names begin with a prefix. These are values and
   * no {@link RetryPolicy}, so that two configurations can be compared.
   *
   * @param queue the name of the queue, or the prefix
   * @param isPrefix whether it is a prefix
   * @param maxAttempts the limit of attempts
   * @param delays the delays, one after each failure; if empty, they grow from first to max
   * @param first the bound of the first random delay
   * @param max the largest bound
   */
  public record Entry(
      String queue,
      boolean isPrefix,
      int maxAttempts,
      List<Duration> delays,
      Duration first,
      Duration max) {
    /** Copies the delays. */
    public Entry {
      delays = List.copyOf(delays);
    }

    boolean appliesTo(String name) {
      return isPrefix ? name.startsWith(queue) : name.equals(queue);
    }

    RetryPolicy policy() {
      RetryPolicy policy =
          delays.isEmpty() ? RetryPolicy.exponential(first, max) : RetryPolicy.delays(delays);
      return policy.maxAttempts(maxAttempts);
    }
  }

  /** Returns the policy of a queue. */
  public RetryPolicy policy(String queue) {
    return entries.stream()
        .filter(entry -> entry.appliesTo(queue))
        .findFirst()
        .map(Entry::policy)
        .orElse(RetryPolicy.DEFAULT);
  }

  static RetryConfig of(Section root) {
    List<Entry> entries = new ArrayList<>();
    for (Section one : root.sections("retries")) {
      Entry entry = entry(one);
      for (Entry other : entries) {
        if (other.queue.equals(entry.queue) && other.isPrefix == entry.isPrefix) {
          throw one.failure(
              entry.isPrefix ? "prefix" : "queue", "has another entry of 'retries' before this");
        }
      }
      entries.add(entry);
    }
    return new RetryConfig(entries);
  }

  private static Entry entry(Section one) {
    String queue = one.value("queue", RetryConfig::checkedName);
    String prefix = one.value("prefix", RetryConfig::checkedName);
    List<Duration> delays = one.spans("delays", List.of());
    if (queue != null && prefix != null) {
      throw one.failure("prefix", "can't be beside 'queue'");
    }
    if (one.has("delays") && (one.has("first") || one.has("max"))) {
      throw one.failure("delays", "can't be beside 'first' and 'max'");
    }
    if (one.has("delays") && delays.isEmpty()) {
      throw one.failure("delays", "is empty; 'maxAttempts: 1' is for no retries");
    }
    int usual = delays.isEmpty() ? DEFAULT_ATTEMPTS : delays.size() + 1;
    Entry entry =
        new Entry(
            queue != null ? queue : prefix == null ? "" : prefix,
            queue == null,
            Math.toIntExact(one.number("maxAttempts", usual, 1, MOST_ATTEMPTS)),
            delays,
            one.span("first", DEFAULT_FIRST),
            one.span("max", DEFAULT_MAX));
    try {
      RetryPolicy unused = entry.policy();
    } catch (IllegalArgumentException e) {
      String key = one.has("delays") ? "delays" : one.has("first") ? "first" : "max";
      throw one.failure(key, "is wrong: " + e.getMessage());
    }
    return entry;
  }

  private static String checkedName(String name) {
    Checks.queueName(name);
    return name;
  }
}
