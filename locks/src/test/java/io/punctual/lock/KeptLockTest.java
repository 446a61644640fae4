package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests locks that stay taken for a while after their release. */
final class KeptLockTest extends LockTestServer {
  @Test
  void releaseAfter_keepsTheLockOnTheServer_thoughTheHandleIsDone() throws Exception {
    RedisLocks others = open();
    for (boolean mutex : List.of(true, false)) {
      LockKind kind = mutex ? LockKind.MUTEX : LockKind.READ_WRITE;
      RedisLocks locks = open(builder().lease(SHORT_LEASE));
      DistributedLock lock = mutex ? locks.mutex("a") : locks.readWrite("a").write();
      LockHandle handle = lock.acquire();
      LockInfo.Holder before = holder(others, kind);

      assertThat(handle.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.RELEASED);

      assertThat(handle.isHeld()).isFalse();
      assertThat(handle.release()).as("again").isEqualTo(ReleaseOutcome.RELEASED);
      assertThat(lock.tryAcquire()).isEmpty();
      locks.close();
      outlastAShortLease();
      LockInfo.Holder after = holder(others, kind);
      assertThat(after.remaining()).isBetween(LONG.minusMinutes(2), LONG);
      assertThat(after.fencingToken()).isEqualTo(before.fencingToken());
      assertThat(others.forceRelease(kind, "a")).isOne();
    }
  }

  @Test
  void keptLock_goesToItsWaiterWhenTheTimeIsOver() throws Exception {
    RedisLocks locks = open(builder());
    LockHandle handle = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> sibling = future(locks.mutex("a").acquireAsync());
    CompletableFuture<LockHandle> other = future(open().fair("a").acquireAsync());
    await().until(() -> waiting(locks, LockKind.MUTEX, "a") >= 1);

    Duration time = Duration.ofSeconds(1);
    long start = System.nanoTime();
    CompletableFuture<Duration> took =
        CompletableFuture.anyOf(sibling, other)
            .thenApply(next -> Duration.ofNanos(System.nanoTime() - start));
    assertThat(handle.releaseAfter(time)).isEqualTo(ReleaseOutcome.RELEASED);

    sibling.thenAccept(LockHandle::releaseAsync);
    other.thenAccept(LockHandle::releaseAsync);
    assertThat(get(sibling).fencingToken()).isGreaterThan(handle.fencingToken());
    assertThat(get(other).fencingToken()).isGreaterThan(handle.fencingToken());
    // The server counts whole milliseconds.
    assertThat(get(took)).isGreaterThan(time.minusMillis(2));
  }

  /** A timer whose monotonic clock can step ahead, as if the machine had been suspended. */
  private static final class SteppedTimer implements DueTimer {
    private final DueTimer timer;
    private final AtomicLong aheadNanos = new AtomicLong();

    SteppedTimer(DueTimer timer) {
      this.timer = timer;
    }

    @Override
    public long nanoTime() {
      return timer.nanoTime() + aheadNanos.get();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      return timer.schedule(delayNanos, task);
    }
  }

  @Test
  void releaseAfter_wallClockWasSetAhead_keepsTheLockThatTheServerStillHas() {
    WheelTimer wheel = WheelTimer.create();
    SteppedTimer timer = new SteppedTimer(wheel);
    try (RedisLocks locks = open(builder().timer(timer))) {
      LockHandle handle = locks.mutex("a").withLease(LEASE).tryAcquire().orElseThrow();
      RedisLocks others = open();
      String held = holder(others, LockKind.MUTEX).handle();

      timer.aheadNanos.set(LEASE.plusSeconds(1).toNanos());
      assertThat(handle.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.LOST);

      await()
          .until(
              () ->
                  others.find(LockKind.MUTEX, "a").stream()
                      .flatMap(info -> info.holders().stream())
                      .noneMatch(holder -> holder.handle().equals(held)));
      assertThat(others.mutex("a").tryAcquire()).isEmpty();
    } finally {
      wheel.close();
    }
  }

  @Test
  void releaseAfter_noTimeOrLess_releasesAtOnce() throws Exception {
    RedisLocks locks = open();
    for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-5))) {
      LockHandle handle = locks.mutex("a").acquire();
      assertThat(handle.releaseAfter(none)).isEqualTo(ReleaseOutcome.RELEASED);
      assertThat(locks.find(LockKind.MUTEX, "a")).isEmpty();
    }
    LockHandle handle = locks.mutex("a").acquire();
    assertThatThrownBy(() -> handle.releaseAfter(Duration.ofDays(31)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(handle.isHeld()).isTrue();
  }

  @Test
  void releaseAfter_ofAnOwner_countsForItsLastEntry() throws Exception {
    RedisLocks locks = open();
    OwnedLock lock = locks.reentrant("a");
    LockHandle outer = lock.acquire();
    LockHandle inner = lock.acquire();
    assertThat(inner.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.STILL_HELD);
    assertThat(outer.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.RELEASED);

    assertThat(holder(locks, LockKind.MUTEX).remaining()).isGreaterThan(LEASE);
    assertThat(lock.tryAcquire()).isEmpty();
  }

  @Test
  void releaseAfter_whoseAnswerIsLost_keepsTheLockOnce() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks locks = open(impatientBehind(proxy));
      RedisLocks others = open();
      LockHandle handle = locks.mutex("a").acquire();
      long before = proxy.swallowedBytes(Direction.TO_CLIENT);
      proxy.swallow(Direction.TO_CLIENT);
      assertThat(handle.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.UNCONFIRMED);
      await().until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) > before);
      proxy.heal();

      await().until(() -> handle.release() == ReleaseOutcome.RELEASED);

      assertThat(holder(others, LockKind.MUTEX).remaining()).isGreaterThan(LEASE);
      assertThat(others.mutex("a").tryAcquire()).isEmpty();
    }
  }

  @Test
  void releaseAfter_ofALockThatWasTakenAway_isLost() throws Exception {
    RedisLocks locks = open();
    LockHandle handle = locks.mutex("a").acquire();
    locks.forceRelease(LockKind.MUTEX, "a");

    assertThat(handle.releaseAfter(LONG)).isEqualTo(ReleaseOutcome.LOST);

    assertThat(open().mutex("a").tryAcquire()).isPresent();
  }
}
