package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Tests each step of acquisitions and releases at which the timer throws an error, as it does when
 * memory is short: no attempt waits for ever, and no lock stays taken.
 */
final class FailingTimerTest extends LockTestServer {
  private static final WheelTimer TIMER = WheelTimer.create();

  private final List<CompletableFuture<?>> ends = new ArrayList<>();

  @AfterAll
  static void stop() {
    TIMER.close();
  }

  /** A timer that throws an error once, at the call of this number. */
  private static final class Failing implements DueTimer {
    final AtomicInteger callsLeft = new AtomicInteger(Integer.MAX_VALUE);

    @Override
    public long nanoTime() {
      return TIMER.nanoTime();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      if (callsLeft.decrementAndGet() == 0) {
        throw new InternalError("of the test");
      }
      return TIMER.schedule(delayNanos, task);
    }
  }

  /** Starts uses of locks that wait for each other. */
  private void contend(RedisLocks locks) {
    for (int i = 0; i < 3; i++) {
      useAndRelease(() -> locks.mutex("a"));
      useAndRelease(() -> locks.fair("a"));
      useAndRelease(() -> locks.reentrant("a").ownedBy("me"));
      useAndRelease(() -> locks.multi(List.of("a", "b")));
      useAndRelease(() -> locks.semaphore("a", 1));
      useAndRelease(() -> locks.readWrite("a").write());
    }
  }

  private interface Opened {
    DistributedLock lock();
  }

  private void useAndRelease(Opened opened) {
    try {
      ends.add(
          future(
              opened
                  .lock()
                  .tryAcquireAsync(WAIT.multipliedBy(10))
                  .thenCompose(got -> got.orElseThrow().releaseAsync())));
    } catch (InternalError | LockLostException failure) {
      assertThat(failure.getMessage()).containsAnyOf("of the test", "was lost");
    }
  }

  private static ConditionFactory soon(String when) {
    return await(when)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(20));
  }

  @Test
  void errorsOfTheTimer_strandNoAttempt_andLeaveNoLockTaken() {
    RedisLocks others = open();
    boolean hasFailed = true;
    for (int call = 1; hasFailed; call++) {
      Failing timer = new Failing();
      RedisLocks locks = open(builder().timer(timer).lease(LONG));
      locks.mutex("warm").tryAcquire().orElseThrow().close();
      timer.callsLeft.set(call);

      contend(locks);

      String when = "error at call " + call;
      soon(when).until(() -> ends.stream().allMatch(CompletableFuture::isDone));
      soon(when).until(() -> locks.counters().waiting() + locks.counters().holding() == 0);
      for (LockKind kind : List.of(LockKind.MUTEX, LockKind.SEMAPHORE, LockKind.READ_WRITE)) {
        soon(when).until(() -> others.find(kind, "a").isEmpty());
      }
      hasFailed = timer.callsLeft.get() <= 0;
      ends.clear();
      locks.close();
    }
  }
}
