package io.punctual.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.punctual.lock.LockEvent;
import io.punctual.lock.LockKind;
import io.punctual.lock.LockListener;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Meters of distributed locks, by the kind of the lock.
 *
 * <pre>{@code
 * RedisLocks locks =
 *     RedisLocks.builder().url(url).listener(new PunctualLockMeters(registry)).open();
 * }</pre>
 *
 * <ul>
 *   <li>{@code punctual.locks.wait}: the time of each attempt, whether it acquired the lock or not
 *   <li>{@code punctual.locks.held}: the time for which locks were held, until released or lost
 *   <li>{@code punctual.locks.lost}: the number of lost locks
 *   <li>{@code punctual.locks.holding}: the number of locks that are held now
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class PunctualLockMeters implements LockListener {
  private final MeterRegistry registry;
  private final Map<LockKind, KindMeters> kinds = new ConcurrentHashMap<>();

  /**
   * Creates a listener that registers the meters of a kind of lock at the first event of this kind.
   */
  public PunctualLockMeters(MeterRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  @Override
  public void on(LockEvent event) {
    KindMeters meters = kinds.computeIfAbsent(event.kind(), kind -> new KindMeters(registry, kind));
    if (event instanceof LockEvent.Acquired acquired) {
      meters.wait.record(acquired.waited());
      meters.holding.incrementAndGet();
    } else if (event instanceof LockEvent.NotAcquired notAcquired) {
      meters.wait.record(notAcquired.waited());
    } else if (event instanceof LockEvent.Released released) {
      meters.held.record(released.held());
      meters.holding.decrementAndGet();
    } else if (event instanceof LockEvent.Lost lost) {
      meters.lost.increment();
      meters.held.record(lost.held());
      meters.holding.decrementAndGet();
    }
  }

  private static final class KindMeters {
    private final Timer wait;
    private final Timer held;
    private final Counter lost;
    private final AtomicLong holding = new AtomicLong();

    KindMeters(MeterRegistry registry, LockKind kind) {
      Tags tags = Tags.of("kind", kind.name().toLowerCase(Locale.ROOT));
      wait =
          Timer.builder("punctual.locks.wait")
              .description("The time of attempts to acquire a lock")
              .tags(tags)
              .register(registry);
      held =
          Timer.builder("punctual.locks.held")
              .description("The time for which locks were held")
              .tags(tags)
              .register(registry);
      lost =
          Counter.builder("punctual.locks.lost")
              .description("Locks that were lost before their release")
              .tags(tags)
              .register(registry);
      Gauge.builder("punctual.locks.holding", holding, AtomicLong::get)
          .description("Locks that are held now")
          .tags(tags)
          .register(registry);
    }
  }
}
