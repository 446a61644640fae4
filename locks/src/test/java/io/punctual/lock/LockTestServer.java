package io.punctual.lock;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A server for the tests of a class, and the clients of a test. The server is emptied before each
 * test, and the clients are closed after the test.
 */
@Timeout(60)
abstract class LockTestServer {
  static final Duration WAIT = Duration.ofSeconds(10);

  /**
   * A lease that is long enough for a client on a busy machine to renew it, and short enough for a
   * test to wait for its end.
   */
  static final Duration LEASE = Duration.ofSeconds(3);

  /** A lease that outlasts every test. */
  static final Duration LONG = Duration.ofMinutes(10);

  /** The threads that the clients of most tests share. They stop when the JVM exits. */
  static final ClientResources THREADS = DefaultClientResources.create();

  static RedisProcess redis;

  private final List<RedisLocks> opened = new ArrayList<>();

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.ask("FLUSHALL");
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
    return open(builder().lease(LEASE));
  }

  /**
   * Waits for longer than {@link #LEASE}, so that a lease of this length has ended unless it was
   * renewed.
   */
  static void outlastALease() {
    await().pollDelay(LEASE.plusMillis(300)).until(() -> true);
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
        .commandTimeout(Duration.ofMillis(500))
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
