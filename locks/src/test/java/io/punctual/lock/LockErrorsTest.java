package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.test.ManualClock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests errors between the steps of calls, as they occur when memory is short. */
final class LockErrorsTest extends LockTestServer {
  /** The number of errors that are still to be thrown. */
  private final AtomicInteger errors = new AtomicInteger();

  private void fail() {
    if (errors.get() > 0 && errors.getAndDecrement() > 0) {
      throw new InternalError("of the test");
    }
  }

  @Test
  void downgrade_errorBeforeTheRequest_leavesTheWriter() throws InterruptedException {
    RandomGenerator random = new SecureRandom();
    RedisLocks locks =
        open(
            builder()
                .random(
                    () -> {
                      fail();
                      return random.nextLong();
                    }));
    DistributedReadWriteLock lock = locks.readWrite("a");
    LockHandle writer = lock.write().acquire();
    errors.set(1);

    assertThatThrownBy(() -> lock.downgrade(writer)).isInstanceOf(InternalError.class);

    assertThat(writer.isHeld()).isTrue();
    assertThat(writer.release()).isEqualTo(ReleaseOutcome.RELEASED);
    await().until(() -> locks.find(LockKind.READ_WRITE, "a").isEmpty());
  }

  /** A stopped timer whose time can't be read in a method. */
  private final class FailingClock implements DueTimer {
    private final ManualClock clock = new ManualClock();
    private final String type;
    private final String method;

    FailingClock(String type, String method) {
      this.type = type;
      this.method = method;
    }

    @Override
    public long nanoTime() {
      boolean isThere =
          StackWalker.getInstance()
              .walk(
                  all ->
                      all.anyMatch(
                          each ->
                              each.getMethodName().equals(method)
                                  && each.getClassName().endsWith(type)));
      if (isThere) {
        fail();
      }
      return clock.nanoTime();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      return clock.schedule(delayNanos, task);
    }
  }

  @Test
  void latch_errorInACheck_endsTheWait() {
    FailingClock timer = new FailingClock("LatchWait", "check");
    RedisLocks locks = open(stopped(builder(), timer.clock).timer(timer));
    DistributedLatch latch = locks.latch("a");
    assertThat(latch.trySet(1)).isTrue();
    CompletableFuture<Boolean> waiting = future(latch.awaitAsync(WAIT));
    errors.set(1);
    advanceUntil(timer.clock, () -> errors.get() == 0);

    assertThat(waiting)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(InternalError.class);
  }

  @Test
  void multi_errorAfterTheLastGrant_fails_andReleasesAllLocks() {
    FailingClock timer = new FailingClock("MultiAcquisition", "finish");
    RedisLocks locks = open(stopped(builder().lease(LONG), timer.clock).timer(timer));
    errors.set(1);

    assertThat(future(locks.multi(List.of("a", "b")).acquireAsync()))
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(InternalError.class);

    await().until(() -> locks.list(LockKind.MUTEX, 10).isEmpty());
  }

  @Test
  void waiter_errorBeforeARepeatedRequest_endsTheWait() {
    FailingClock timer = new FailingClock("Attempts", "ask");
    RedisLocks locks = open(stopped(builder(), timer.clock).timer(timer));
    RedisLocks others = open();
    LockHandle held = others.mutex("a").tryAcquire().orElseThrow();
    CompletableFuture<LockHandle> waiting = future(locks.mutex("a").acquireAsync());
    await().until(() -> waiting(others, LockKind.MUTEX, "a") == 1);
    errors.set(1);
    advanceUntil(timer.clock, () -> errors.get() == 0);

    assertThat(waiting)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(InternalError.class);
    await().until(() -> waiting(others, LockKind.MUTEX, "a") == 0);
    assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
  }
}
