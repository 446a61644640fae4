package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests locks of several names whose leases end before all of them are acquired. */
final class MultiLockTest extends LockTestServer {
  private static final Duration ENDING = Duration.ofMillis(100);

  private final ManualClock clock = new ManualClock();
  private final AtomicInteger rounds = new AtomicInteger();

  /** Returns a lock of two names; the lease of the first always ends when the second is granted. */
  private DistributedLock endingLock() {
    return endingLock(openEnding());
  }

  private DistributedLock endingLock(RedisLocks locks) {
    return locks.multi(List.of("a", "b")).withLease(ENDING);
  }

  private RedisLocks openEnding() {
    LockListener late =
        event -> {
          if (event instanceof LockEvent.Acquired acquired && acquired.name().equals("b")) {
            rounds.incrementAndGet();
            clock.advance(ENDING);
          }
        };
    return open(stopped(builder(), clock).listener(late));
  }

  @Test
  void attempt_whoseLeasesEndEachTime_endsWithItsWait_andPausesBetween() throws Exception {
    CompletableFuture<Optional<LockHandle>> attempt =
        future(endingLock().tryAcquireAsync(Duration.ofSeconds(1)));

    advanceUntil(clock, attempt::isDone);

    assertThat(get(attempt)).isEmpty();
    assertThat(rounds).as("of a lease and a pause").hasValueLessThanOrEqualTo(8);
    LockHandle free = open().multi(List.of("a", "b")).tryAcquire(WAIT).orElseThrow();
    free.close();
  }

  @Test
  void attemptWithoutAWait_whoseLeaseEnds_isMadeOnce() {
    assertThat(endingLock().tryAcquire()).isEmpty();
    assertThat(rounds).hasValue(1);
  }

  @Test
  void attempt_thatPausesWhenTheLocksAreClosed_ends() {
    RedisLocks locks = openEnding();
    CompletableFuture<?> attempt = future(endingLock(locks).acquireAsync());
    await().until(() -> rounds.get() == 1);

    locks.close();

    assertThat(attempt)
        .failsWithin(WAIT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(ClientClosedException.class);
  }
}
