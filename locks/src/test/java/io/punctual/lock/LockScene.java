package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two clients and a lock of a new name for each test of {@link LockContract}. */
abstract class LockScene {
  private static final AtomicInteger NAMES = new AtomicInteger();
  static final Duration WAIT = Duration.ofSeconds(60);

  final String name = getClass().getSimpleName() + NAMES.incrementAndGet();
  private final List<LockEvent> events = new ArrayList<>();

  /** The clock of {@link #stopTheTime}; it stands still until a test advances it. */
  final ManualClock clock = new ManualClock();

  RedisLocks locks;
  RedisLocks others;

  /** Returns locks of a new client, with a lease of {@link #lease}. */
  abstract RedisLocks open(LockListener listener, UnaryOperator<RedisLocksBuilder> more);

  /** Returns the lock of this name. If the lock has owners, each call sets a new owner. */
  abstract DistributedLock lock(RedisLocks of, String name);

  Duration lease() {
    return LockTestServer.LEASE;
  }

  /** Returns whether acquisitions have fencing tokens. */
  abstract boolean hasTokens();

  abstract LockKind kind();

  @BeforeEach
  void openTwo() {
    locks = open(this::note, builder -> builder);
    others = open(event -> {}, builder -> builder);
  }

  @AfterEach
  void close() {
    locks.close();
    others.close();
  }

  private void note(LockEvent event) {
    synchronized (events) {
      events.add(event);
    }
  }

  /** Replaces {@link #locks} by a client whose time is the time of {@link #clock}. */
  void stopTheTime() {
    locks.close();
    locks = open(this::note, builder -> LockTestServer.stopped(builder, clock));
  }

  DistributedLock mine() {
    return lock(locks, name);
  }

  DistributedLock theirs() {
    return lock(others, name);
  }

  boolean hasEvent(Class<? extends LockEvent> type) {
    synchronized (events) {
      return events.stream().anyMatch(type::isInstance);
    }
  }

  Duration remainingOnTheServer() {
    return others.find(kind(), name).orElseThrow().holders().get(0).remaining();
  }

  void takeAway() {
    assertThat(others.forceRelease(kind(), name)).isPositive();
  }
}
