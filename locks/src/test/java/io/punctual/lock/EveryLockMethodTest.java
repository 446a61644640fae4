package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClientClosedException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.kit.redis.RedisProcess;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Calls the public methods of the locks while the server does not serve this client, or after the
 * locks were closed. Checks the types of the exceptions.
 */
@Tag("extended")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
final class EveryLockMethodTest {
  private static final Duration SHORT = Duration.ofMillis(200);

  /**
   * Methods that the tests need not call: they open or close the locks, build them, add a callback,
   * or are variants of called methods that would wait for a minute.
   */
  private static final Set<String> NOT_CALLED =
      Set.of(
          "RedisLocks.open",
          "RedisLocks.builder",
          "RedisLocks.close",
          "DistributedLock.acquire",
          "DistributedLock.acquireAsync",
          "LockHandle.onLost");

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Callable<?>> calls = new LinkedHashMap<>();
  private final Map<String, Throwable> failures = new ConcurrentHashMap<>();
  private RedisProcess redis;
  private RedisLocks locks;

  @BeforeEach
  void open() throws Exception {
    redis = RedisProcess.start();
    locks = RedisLocks.open(redis.url() + "?timeout=500ms&connectTimeout=3s&durabilityTimeout=1s");
    factories();
    lock("mutex", locks.mutex("a"));
    lock("fair", locks.fair("b"));
    lock("reentrant", locks.reentrant("c").ownedBy("me"));
    lock("reader", locks.readWrite("d").read());
    lock("multi", locks.multi(List.of("e", "f")));
    lock("semaphore", locks.semaphore("g", 2));
    readWrite(locks.readWrite("h"));
    semaphore(locks.semaphore("i", 2));
    latch(locks.latch("j"));
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    locks.close();
    redis.close();
  }

  private void factories() {
    calls.put("RedisLocks.mutex", () -> locks.mutex("n").tryAcquire());
    calls.put("RedisLocks.fair", () -> locks.fair("n").tryAcquire());
    calls.put("RedisLocks.reentrant", () -> locks.reentrant("n").tryAcquire());
    calls.put("RedisLocks.readWrite", () -> locks.readWrite("n").write().tryAcquire());
    calls.put("RedisLocks.semaphore", () -> locks.semaphore("n", 1).tryAcquire());
    calls.put("RedisLocks.multi", () -> locks.multi(List.of("n", "o")).tryAcquire());
    calls.put("RedisLocks.latch", () -> locks.latch("n").count());
    calls.put("RedisLocks.counters", () -> locks.counters());
    calls.put("RedisLocks.list", () -> locks.list(LockKind.MUTEX, 10));
    calls.put("RedisLocks.find", () -> locks.find(LockKind.MUTEX, "a"));
    calls.put("RedisLocks.forceRelease", () -> locks.forceRelease(LockKind.MUTEX, "z"));
  }

  private void lock(String kind, DistributedLock lock) throws InterruptedException {
    String on = ", " + kind;
    calls.put("DistributedLock.name" + on, lock::name);
    calls.put(
        "DistributedLock.withLease" + on,
        () -> lock.withLease(Duration.ofSeconds(9)).tryAcquire(SHORT));
    calls.put("DistributedLock.withReplicas" + on, () -> lock.withReplicas(1).tryAcquire(SHORT));
    calls.put("DistributedLock.withAllReplicas" + on, () -> lock.withAllReplicas().tryAcquire());
    calls.put("DistributedLock.tryAcquire" + on, () -> lock.tryAcquire(SHORT));
    calls.put("DistributedLock.tryAcquireAsync" + on, () -> lock.tryAcquireAsync(SHORT));
    handle(kind, lock.acquire());
  }

  private void handle(String kind, LockHandle handle) {
    String on = ", " + kind;
    calls.put("LockHandle.name" + on, handle::name);
    calls.put("LockHandle.id" + on, handle::id);
    calls.put("LockHandle.fencingTokens" + on, handle::fencingTokens);
    if (kind.equals("mutex")) {
      calls.put("LockHandle.fencingToken" + on, handle::fencingToken);
    }
    calls.put("LockHandle.isHeld" + on, handle::isHeld);
    calls.put("LockHandle.remaining" + on, handle::remaining);
    calls.put("LockHandle.extend" + on, () -> handle.extend(Duration.ofMinutes(1)));
    calls.put("LockHandle.extendAsync" + on, () -> handle.extendAsync(Duration.ofMinutes(1)));
    calls.put("LockHandle.release" + on, handle::release);
    calls.put("LockHandle.releaseAsync" + on, handle::releaseAsync);
    calls.put("LockHandle.releaseAfter" + on, () -> handle.releaseAfter(SHORT));
    calls.put(
        "LockHandle.close" + on,
        () -> {
          handle.close();
          return null;
        });
  }

  private void readWrite(DistributedReadWriteLock lock) throws InterruptedException {
    LockHandle writer = lock.write().acquire();
    calls.put("DistributedReadWriteLock.name", lock::name);
    calls.put("DistributedReadWriteLock.read", () -> lock.read().tryAcquire());
    calls.put("DistributedReadWriteLock.write", () -> lock.write().tryAcquire());
    calls.put("DistributedReadWriteLock.downgrade", () -> lock.downgrade(writer));
    calls.put(
        "DistributedReadWriteLock.asReadWriteLock",
        () -> lock.asReadWriteLock().readLock().tryLock());
  }

  private void semaphore(DistributedSemaphore semaphore) throws InterruptedException {
    LockHandle permit = semaphore.acquire();
    calls.put("DistributedSemaphore.withPermits", () -> semaphore.withPermits(2).tryAcquire());
    calls.put("DistributedSemaphore.withLease", () -> semaphore.withLease(SHORT).tryAcquire());
    calls.put("DistributedSemaphore.withReplicas", () -> semaphore.withReplicas(1).tryAcquire());
    calls.put(
        "DistributedSemaphore.withAllReplicas", () -> semaphore.withAllReplicas().tryAcquire());
    calls.put("DistributedSemaphore.addPermits", () -> semaphore.addPermits(1));
    calls.put("DistributedSemaphore.drainPermits", semaphore::drainPermits);
    calls.put("DistributedSemaphore.availablePermits", semaphore::availablePermits);
    calls.put("DistributedSemaphore.release", () -> semaphore.release(permit.id()));
  }

  private void latch(DistributedLatch latch) {
    latch.trySet(3);
    calls.put("DistributedLatch.name", latch::name);
    calls.put("DistributedLatch.trySet", () -> latch.trySet(3));
    calls.put("DistributedLatch.countDown", latch::countDown);
    calls.put("DistributedLatch.count", latch::count);
    calls.put("DistributedLatch.open", latch::open);
    calls.put("DistributedLatch.await", () -> latch.await(SHORT));
    calls.put("DistributedLatch.awaitAsync", () -> latch.awaitAsync(SHORT));
  }

  private void callAll() throws Exception {
    Map<String, Future<?>> ends = new LinkedHashMap<>();
    calls.forEach((name, call) -> ends.put(name, threads.submit(() -> call(name, call))));
    for (Future<?> end : ends.values()) {
      end.get();
    }
    failures.forEach(EveryLockMethodTest::assertShowsNoInnerType);
  }

  private void call(String name, Callable<?> call) {
    try {
      if (call.call() instanceof CompletionStage<?> stage) {
        stage.toCompletableFuture().join();
      }
    } catch (CompletionException e) {
      failures.put(name, e.getCause());
    } catch (Exception e) {
      failures.put(name, e);
    }
  }

  private static void assertShowsNoInnerType(String where, Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      assertThat(each.toString())
          .as(where)
          .doesNotContain("io.punctual.spi", "io.punctual.redis.client");
    }
  }

  private void assertFailuresAre(Class<?>... allowed) {
    assertThat(failures).hasSizeGreaterThan(40);
    // An owner must release a lost lock before it can acquire the lock again, so methods of the
    // reentrant lock may fail with a LockLostException.
    failures.values().removeIf(LockLostException.class::isInstance);
    failures.forEach(
        (name, failure) ->
            assertThat(Arrays.asList(allowed))
                .as("%s: %s", name, failure)
                .contains(failure.getClass()));
  }

  @Test
  void everyMethod_serverDown_unavailable() throws Exception {
    redis.kill();
    callAll();
    assertFailuresAre(StoreUnavailableException.class);
  }

  @Test
  void everyMethod_serverFrozen_unavailable() throws Exception {
    redis.freeze();
    try {
      callAll();
    } finally {
      redis.thaw();
    }
    assertFailuresAre(StoreUnavailableException.class);
  }

  @Test
  void everyMethod_passwordChanged_refusedOrUnavailable() throws Exception {
    redis.ask("CONFIG", "SET", "requirepass", "secret");
    redis.askAs("secret", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    callAll();
    assertFailuresAre(StoreUnavailableException.class, StoreRefusedException.class);
  }

  @Test
  void everyMethod_locksClosed_closed() throws Exception {
    locks.close();
    calls.put("DistributedLock.acquire", () -> locks.mutex("a").acquire());
    calls.put("DistributedLock.acquireAsync", () -> locks.mutex("a").acquireAsync());
    callAll();
    assertFailuresAre(ClientClosedException.class);
  }

  @Test
  void calls_coverThePublicApi() {
    Set<String> missing = new TreeSet<>();
    for (Class<?> type :
        List.of(
            RedisLocks.class,
            DistributedLock.class,
            DistributedReadWriteLock.class,
            DistributedSemaphore.class,
            DistributedLatch.class,
            LockHandle.class)) {
      for (Method method : type.getDeclaredMethods()) {
        String name = type.getSimpleName() + "." + method.getName();
        boolean isApi =
            Modifier.isPublic(method.getModifiers())
                && !method.isBridge()
                && !method.getName().equals("toString");
        if (isApi
            && !NOT_CALLED.contains(name)
            && calls.keySet().stream().noneMatch(n -> n.startsWith(name))) {
          missing.add(name);
        }
      }
    }
    assertThat(missing).isEmpty();
  }
}
