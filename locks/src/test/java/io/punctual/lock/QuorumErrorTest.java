package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.test.ManualClock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests errors within an attempt to acquire a quorum lock, as they occur when memory is short, and
 * the close of the locks within an attempt.
 */
@org.junit.jupiter.api.Timeout(300)
final class QuorumErrorTest {
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static List<RedisProcess> servers;

  @BeforeAll
  static void start() {
    servers = List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
    QuorumProbe.awaitVoters(servers, LONGEST);
  }

  @AfterAll
  static void stop() {
    servers.forEach(RedisProcess::close);
  }

  private static List<RedisLocks> connect(UnaryOperator<RedisLocksBuilder> more) {
    return servers.stream()
        .map(server -> more.apply(RedisLocks.builder().url(server.url())))
        .map(builder -> builder.resources(LockTestServer.THREADS).open())
        .toList();
  }

  /** Returns a lock that was acquired and released, so that all servers know the scripts. */
  private static AbstractLock warm(List<RedisLocks> clients) {
    DistributedLock lock = QuorumLocks.of(clients, LONGEST).lock("a");
    lock.tryAcquire().orElseThrow().close();
    await().until(() -> clients.stream().allMatch(QuorumErrorTest::isFree));
    return (AbstractLock) lock;
  }

  private static boolean isFree(RedisLocks server) {
    return server.find(LockKind.QUORUM, "a").isEmpty();
  }

  /** A timer that throws an error once, when its time is read in this method. */
  private record FailingTimer(WheelTimer timer, String method, AtomicInteger errors)
      implements DueTimer {
    @Override
    public long nanoTime() {
      boolean isInMethod =
          StackWalker.getInstance()
              .walk(all -> all.anyMatch(each -> each.getMethodName().equals(method)));
      if (isInMethod && errors.get() > 0 && errors.getAndDecrement() > 0) {
        throw new InternalError("of the test");
      }
      return timer.nanoTime();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      return timer.schedule(delayNanos, task);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"voted", "planRenewal"})
  void acquisition_errorAfterTheVotes_fails_andReleasesTheLock(String method) throws Exception {
    WheelTimer timer = WheelTimer.create();
    FailingTimer failing = new FailingTimer(timer, method, new AtomicInteger());
    List<RedisLocks> clients = connect(builder -> builder.timer(failing));
    try {
      AbstractLock lock = warm(clients);
      failing.errors.set(1);
      assertThat(lock.ask(0).result())
          .failsWithin(LockTestServer.WAIT)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(InternalError.class);
      if (method.equals("voted")) {
        // The connections are those of the votes, and these were taken back before the failure.
        assertThat(clients).allMatch(QuorumErrorTest::isFree);
      }
      await().until(() -> clients.get(0).counters().holding() == 0);
      lock.tryAcquire(LockTestServer.WAIT).orElseThrow().close();
    } finally {
      clients.forEach(RedisLocks::close);
      timer.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void close_whileSomeServersStillVote_takesTheVotesBack(boolean isCancelled) {
    ManualClock clock = new ManualClock();
    List<RedisLocks> mine = connect(builder -> LockTestServer.stopped(builder, clock));
    RedisProcess first = servers.get(0);
    AbstractLock lock = warm(mine);
    List<RedisProcess> silent = servers.subList(1, 3);
    silent.forEach(RedisProcess::freeze);
    try (RedisLocks others = RedisLocks.open(first.url())) {
      PendingAcquisition asked = lock.ask(LockOptions.FOREVER);
      await().until(() -> !isFree(others));
      String key =
          new String(
              others.session().client().keys(LockKind.QUORUM, "a").held(),
              StandardCharsets.US_ASCII);
      assertThat((Long) first.ask("PERSIST", key)).as("has no lease now").isOne();
      first.ask("SCRIPT", "FLUSH");
      if (isCancelled) {
        assertThat(asked.cancel()).isTrue();
      }

      mine.forEach(RedisLocks::close);

      assertThat(asked.result())
          .failsWithin(LockTestServer.WAIT)
          .withThrowableThat()
          .satisfies(
              failure ->
                  assertThat(isCancelled ? failure : failure.getCause())
                      .isInstanceOf(
                          isCancelled ? CancellationException.class : ClientClosedException.class));
      await().until(() -> first.ask("EXISTS", key).equals(0L));
    } finally {
      silent.forEach(RedisProcess::thaw);
      first.ask("FLUSHALL");
    }
  }
}
