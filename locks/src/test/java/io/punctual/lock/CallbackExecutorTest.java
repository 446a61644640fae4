package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.lock.internal.client.CallbackExecutor;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests callbacks of locks that the user's executor refuses, keeps or drops, and callbacks after a
 * close.
 */
final class CallbackExecutorTest extends LockTestServer {
  @Test
  void blockingCallback_thatAFullExecutorRefuses_doesNotHoldUpTheConnection() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    ThreadPoolExecutor full =
        new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
    try {
      full.execute(() -> awaitUninterruptibly(busy));
      RedisLocks locks = open(builder().executor(full));

      // The release in the callback waits for a reply, which the thread of the connection has to
      // read.
      LockHandle held = open().mutex("a").acquire();
      CompletableFuture<ReleaseOutcome> released =
          future(locks.mutex("a").acquireAsync().thenApply(LockHandle::release));
      held.close();

      assertThat(get(released)).isEqualTo(ReleaseOutcome.RELEASED);
    } finally {
      busy.countDown();
      full.shutdown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void callbacks_ofAnExecutorThatWasShutDown_runAllTheSame() throws Exception {
    var ended = Executors.newSingleThreadExecutor();
    RedisLocks locks = open(builder().executor(ended));
    ended.shutdown();

    LockHandle held = open().mutex("a").acquire();
    CompletableFuture<String> thread =
        future(
            locks.mutex("a").acquireAsync().thenApply(handle -> Thread.currentThread().getName()));
    held.close();

    assertThat(get(thread)).isEqualTo("punctual-locks");
  }

  @Test
  void callbacks_ofAnExecutorThatThrowsAnything_runAllTheSame() throws Exception {
    Executor broken =
        task -> {
          throw new OutOfMemoryError("unable to create a thread (of the test)");
        };
    RedisLocks locks = open(builder().executor(broken));

    LockHandle held = open().mutex("a").acquire();
    CompletableFuture<LockHandle> waiter = future(locks.mutex("a").acquireAsync());
    held.close();

    assertThat(get(waiter).isHeld()).isTrue();
  }

  @Test
  void callback_thatAnExecutorKeepsAndRefuses_runsOnce() throws Exception {
    Queue<Runnable> kept = new ConcurrentLinkedQueue<>();
    CallbackExecutor executor =
        new CallbackExecutor(
            task -> {
              kept.add(task);
              throw new IllegalStateException("of the test");
            });
    AtomicInteger runs = new AtomicInteger();

    executor.execute(runs::incrementAndGet);
    await().until(() -> runs.get() == 1);
    kept.remove().run();

    assertThat(runs).hasValue(1);
  }

  @Test
  void cancelledFuture_whoseCallbackTheExecutorDrops_releasesTheLock() throws Exception {
    Queue<Runnable> dropped = new ConcurrentLinkedQueue<>();
    RedisLocks locks = open(builder().executor(dropped::add));
    RedisLocks others = open();
    CompletableFuture<LockHandle> acquired = future(locks.mutex("a").acquireAsync());
    await().until(() -> !dropped.isEmpty());
    assertThat(others.find(LockKind.MUTEX, "a")).isPresent();

    acquired.cancel(true);

    // The lease of 30 seconds would outlast this wait.
    LockHandle next = others.mutex("a").tryAcquire(WAIT).orElseThrow();
    dropped.forEach(Runnable::run);
    assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
  }

  @Test
  void callbacks_afterTheLocksWereClosed_stillRun() throws Exception {
    CallbackExecutor executor = new CallbackExecutor(null);
    executor.close();
    CompletableFuture<String> ran = new CompletableFuture<>();

    executor.execute(() -> ran.complete(Thread.currentThread().getName()));

    assertThat(get(ran)).isEqualTo("punctual-locks");
  }
}
