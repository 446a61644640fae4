package io.punctual.internal;

import io.punctual.event.Event;
import io.punctual.spi.Lane;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the store answers, as all of a client's lanes together see it: one warning when it stops,
 * one line when it is back. Thread-safe.
 */
final class StoreHealth {
  private static final Logger log = LoggerFactory.getLogger(StoreHealth.class);
  private static final long WELL = Long.MIN_VALUE;

  private final String store;
  private final Environment env;
  private final AtomicLong troubleSince = new AtomicLong(WELL);

  StoreHealth(String store, Environment env) {
    this.store = store;
    this.env = env;
  }

  boolean isTroubled() {
    return troubleSince.get() != WELL;
  }

  void failed(String queue, Throwable failure) {
    long now = Math.max(env.nanoTime(), WELL + 1);
    if (troubleSince.compareAndSet(WELL, now)) {
      String what = failure instanceof Lane.LaneException ? "refuses" : "does not answer";
      log.warn("{} {}; trying again until it does: {}", store, what, failure.toString());
      env.events().publish(() -> new Event.StoreTrouble(queue, failure));
    }
  }

  void answered(String queue) {
    long since = troubleSince.get();
    if (since != WELL && troubleSince.compareAndSet(since, WELL)) {
      Duration silence = Duration.ofNanos(env.nanoTime() - since);
      log.info("{} answers again after {} ms", store, silence.toMillis());
      env.events().publish(() -> new Event.StoreRecovered(queue, silence));
    }
  }
}
