package io.punctual.internal;

import io.punctual.event.Event;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the store answers, as all of a client's partitions together see it: one warning when the
 * first of them is in trouble, one line when the last is well again. Thread-safe.
 */
final class StoreHealth {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.store");

  private final String store;
  private final Environment env;
  private final Set<Object> troubled = ConcurrentHashMap.newKeySet();
  private volatile long sinceNanos;

  StoreHealth(String store, Environment env) {
    this.store = store;
    this.env = env;
  }

  boolean isTroubled(Object partition) {
    return !troubled.isEmpty() && troubled.contains(partition);
  }

  void failed(Object partition, String queue, Throwable failure) {
    boolean first = troubled.isEmpty();
    if (troubled.add(partition) && first) {
      sinceNanos = env.nanoTime();
      Throwable reported = StoreFailures.forReport(failure);
      String what = StoreFailures.isRefusal(failure) ? "refuses" : "does not answer";
      log.warn("{} {}; trying again until it does: {}", store, what, reported.toString());
      env.events().publish(() -> new Event.StoreTrouble(queue, reported));
    }
  }

  void answered(Object partition, String queue) {
    if (troubled.remove(partition) && troubled.isEmpty()) {
      Duration silence = Duration.ofNanos(env.nanoTime() - sinceNanos);
      log.info("{} answers again after {} ms", store, silence.toMillis());
      env.events().publish(() -> new Event.StoreRecovered(queue, silence));
    }
  }
}
