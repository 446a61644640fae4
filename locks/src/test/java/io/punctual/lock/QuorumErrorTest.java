package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests errors within an attempt to acquire a quorum lock, as they occur when memory is short. */
@org.junit.jupiter.api.Timeout(300)
final class QuorumErrorTest {
  private static final Duration LONGEST = Duration.ofSeconds(2);

  /** A timer that throws an error once, when the lease of an acquired lock is to be watched. */
  private record FailingTimer(WheelTimer timer, AtomicInteger errors) implements DueTimer {
    @Override
    public long nanoTime() {
      boolean isWatching =
          StackWalker.getInstance()
              .walk(all -> all.anyMatch(each -> each.getMethodName().equals("planRenewal")));
      if (isWatching && errors.getAndDecrement() > 0) {
        throw new InternalError("of the test");
      }
      return timer.nanoTime();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      return timer.schedule(delayNanos, task);
    }
  }

  @Test
  void acquisition_errorAfterTheVotes_fails_andReleasesTheLock() throws Exception {
    List<RedisProcess> servers =
        List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
    WheelTimer timer = WheelTimer.create();
    FailingTimer failing = new FailingTimer(timer, new AtomicInteger(1));
    List<RedisLocks> clients =
        servers.stream()
            .map(
                server ->
                    RedisLocks.builder()
                        .url(server.url())
                        .resources(LockTestServer.THREADS)
                        .timer(failing)
                        .open())
            .toList();
    try {
      QuorumProbe.awaitVoters(servers, LONGEST);
      DistributedLock lock = QuorumLocks.of(clients, LONGEST).lock("a");
      assertThat(((AbstractLock) lock).ask(0).result())
          .failsWithin(LockTestServer.WAIT)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(InternalError.class);
      await().until(() -> clients.get(0).counters().holding() == 0);
      lock.tryAcquire(LockTestServer.WAIT).orElseThrow().close();
    } finally {
      clients.forEach(RedisLocks::close);
      servers.forEach(RedisProcess::close);
      timer.close();
    }
  }
}
