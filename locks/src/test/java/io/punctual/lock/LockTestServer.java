package io.punctual.lock;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The shared server, and the clients of a test. The test classes of a Java process run one after
 * the other: the server is emptied before each test, and the clients are closed after the test.
 */
@Timeout(300)
abstract class LockTestServer {
  static final Duration WAIT = Duration.ofSeconds(60);

  /** The default lease. A client that is paused for ten seconds still renews it in time. */
  static final Duration LEASE = Duration.ofSeconds(30);

  /** A lease for whose end a test can wait. Its holder may lose it on a busy machine. */
  static final Duration SHORT_LEASE = Duration.ofSeconds(3);

  /** A lease that outlasts every test. */
  static final Duration LONG = Duration.ofMinutes(10);

  /** The threads that the clients of most tests share. They stop when the JVM exits. */
  static final ClientResources THREADS = DefaultClientResources.create();

  static RedisProcess redis;

  private final List<RedisLocks> opened = new ArrayList<>();

  @BeforeAll
  static void start() {
    redis = RedisProcess.shared();
  }

  @BeforeEach
  void empty() {
    redis = RedisProcess.sharedAndEmpty();
  }

  @AfterEach
  void closeAll() {
    opened.forEach(RedisLocks::close);
  }

  /** Returns a builder of locks on the server, with the default lease. */
  static RedisLocksBuilder builder() {
    return RedisLocks.builder().url(redis.url());
  }

  /** Opens locks with a lease of {@link #LEASE}. */
  RedisLocks open() {
    return open(builder());
  }

  /**
   * Opens locks whose time stands still until the test advances the clock. On the server, leases
   * last in real time.
   */
  RedisLocks open(ManualClock clock) {
    return open(stopped(builder(), clock));
  }

  /**
   * Lets the time of a client stand still until the test advances the clock. Its time-outs are so
   * long that no advance of the tests ends a call, because the server answers in real time.
   */
  static RedisLocksBuilder stopped(RedisLocksBuilder builder, ManualClock clock) {
    return builder
        .timer(clock)
        .commandTimeout(Duration.ofMinutes(30))
        .durabilityTimeout(Duration.ofMinutes(20));
  }

  /** Waits until a lease of {@link #SHORT_LEASE} has ended, unless it was renewed. */
  static void outlastAShortLease() {
    await().pollDelay(SHORT_LEASE.plusMillis(300)).until(() -> true);
  }

  /** Advances the clock of the holders by more than {@link #LEASE}. */
  static void outlastALease(ManualClock clock, LockHandle... holders) {
    outlast(LEASE, clock, holders);
  }

  /**
   * Advances the clock of the holders by more than their lease. Waits for each renewal, because the
   * server answers in real time.
   */
  static void outlast(Duration lease, ManualClock clock, LockHandle... holders) {
    // A quorum gives a server a twentieth of the lease to answer.
    for (int i = 0; i < 72; i++) {
      clock.advance(lease.dividedBy(60));
      for (LockHandle holder : holders) {
        advanceUntil(clock, () -> holder.remaining().compareTo(lease.dividedBy(2)) > 0);
      }
    }
  }

  /**
   * Advances the clock of a holder until the server shows a renewal. Never advances it to the end
   * of the lease while an answer is under way.
   */
  static void advanceUntilRenewed(
      Duration lease, ManualClock clock, LockHandle holder, BooleanSupplier renewed) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              boolean early = holder.remaining().compareTo(lease.dividedBy(2)) > 0;
              clock.advance(early ? lease.dividedBy(60) : Duration.ofMillis(1));
              return renewed.getAsBoolean();
            });
  }

  /**
   * Advances the clock to the next renewal of a lost lock, and waits until its client notices the
   * loss. The lease is not over then.
   */
  static void awaitLoss(ManualClock clock, LockHandle lost) {
    clock.advance(lost.remaining().dividedBy(3).plusMillis(1));
    advanceUntil(clock, () -> !lost.isHeld());
  }

  /**
   * Waits for a condition while the clock advances by milliseconds, so that tasks that the client
   * delays for a moment run.
   */
  static void advanceUntil(ManualClock clock, BooleanSupplier condition) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              clock.advance(Duration.ofMillis(1));
              return condition.getAsBoolean();
            });
  }

  /** Makes a call while the clock advances quickly, so that time-outs end soon. */
  static <T> T inFastTime(ManualClock clock, Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    new Thread(task).start();
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              clock.advance(Duration.ofMillis(100));
              return task.isDone();
            });
    return task.get();
  }

  RedisLocks open(RedisLocksBuilder builder) {
    RedisLocks locks = builder.resources(THREADS).open();
    opened.add(locks);
    return locks;
  }

  /** Returns a builder of locks that connect through this proxy. */
  static RedisLocksBuilder behind(FaultProxy proxy) {
    return RedisLocks.builder().url("redis://127.0.0.1:" + proxy.port());
  }

  /**
   * Like {@link #behind}, with short time-outs, so that the client soon notices a message that the
   * proxy swallowed.
   */
  static RedisLocksBuilder impatientBehind(FaultProxy proxy) {
    return behind(proxy)
        .commandTimeout(Duration.ofSeconds(2))
        .durabilityTimeout(Duration.ofMillis(100));
  }

  static <T> CompletableFuture<T> future(CompletionStage<T> stage) {
    return stage.toCompletableFuture();
  }

  static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(WAIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** Returns the first holder of lock "a", as the server knows it. */
  static LockInfo.Holder holder(RedisLocks locks, LockKind kind) {
    return locks.find(kind, "a").orElseThrow().holders().get(0);
  }

  /** Returns how many handles wait in a lock's line of waiters on the server. */
  static long waiting(RedisLocks locks, LockKind kind, String name) {
    return locks.find(kind, name).map(LockInfo::waiting).orElse(0L);
  }
}
