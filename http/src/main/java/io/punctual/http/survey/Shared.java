package io.punctual.http.survey;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Answers that all callers with the same rights share. An answer is made again after a second, or
 * later if it costs much: the store works at most a hundredth of the time for it, but an answer is
 * never older than 15 seconds. The first time says little, because classes load then. Thread-safe.
 */
final class Shared<K, V> {
  private static final int MOST = 64;
  private static final long SHORTEST = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST = Duration.ofSeconds(15).toNanos();

  private final LongSupplier nanoTime;
  private final Map<K, Kept<V>> kept = new ConcurrentHashMap<>();

  private record Kept<V>(CompletionStage<V> answer, AtomicLong until) {}

  Shared() {
    this(System::nanoTime);
  }

  Shared(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Returns the kept answer, or makes it. */
  CompletionStage<V> get(K key, Supplier<CompletionStage<V>> make) {
    long now = nanoTime.getAsLong();
    if (kept.size() >= MOST) {
      kept.values().removeIf(old -> old.until().get() - now < 0);
    }
    return kept.compute(
            key,
            (same, known) ->
                known != null && known.until().get() - now > 0
                    ? known
                    : made(now, make.get(), known == null))
        .answer();
  }

  /** While an answer is being made, nobody else asks a store that may be slow already. */
  private Kept<V> made(long now, CompletionStage<V> answer, boolean isFirst) {
    AtomicLong until = new AtomicLong(now + LONGEST);
    answer.whenComplete(
        (done, failure) -> {
          long cost = failure == null && !isFirst ? nanoTime.getAsLong() - now : 0;
          until.set(now + Math.max(SHORTEST, Math.min(LONGEST, 100 * cost)));
        });
    return new Kept<>(answer, until);
  }
}
