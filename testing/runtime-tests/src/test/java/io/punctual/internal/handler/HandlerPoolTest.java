package io.punctual.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.WorkerOptions;
import io.punctual.internal.runtime.ClientThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class HandlerPoolTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private final BlockingQueue<Thread> made = new LinkedBlockingQueue<>();
  private final BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
  private final List<HandlerPool> pools = new ArrayList<>();

  @AfterEach
  void close() {
    pools.forEach(HandlerPool::close);
  }

  @Test
  void handlers_thatWaitForEachOther_runAtOnce() throws Exception {
    HandlerPool pool = pool(16, LONG);
    for (int round = 0; round < 300; round++) {
      CyclicBarrier all = new CyclicBarrier(17);
      for (int i = 0; i < 16; i++) {
        pool.execute(() -> pass(all));
      }
      all.await(60, TimeUnit.SECONDS);
    }
    assertThat(made).hasSize(16);
  }

  @Test
  void handler_changesItsThread_nextHandlerHasTheThreadAsItWas() throws Exception {
    HandlerPool pool = pool(1, LONG);
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Runnable look =
        () -> {
          Thread thread = Thread.currentThread();
          seen.add(thread.getName() + thread.getContextClassLoader().getName());
        };
    pool.execute(look);
    pool.execute(
        () -> {
          Thread.currentThread().setName("left");
          Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        });
    pool.execute(look);
    String first = seen.poll(60, TimeUnit.SECONDS);
    assertThat(first).isNotNull();
    assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo(first);
    assertThat(made).hasSize(1);
  }

  @Test
  void handlers_ofManyCallers_runOnceEach() throws Exception {
    HandlerPool pool = pool(4, Duration.ofNanos(1));
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch left = new CountDownLatch(4 * 5_000);
    AtomicIntegerArray runs = new AtomicIntegerArray(4 * 5_000);
    CyclicBarrier start = new CyclicBarrier(4);
    for (int caller = 0; caller < 4; caller++) {
      int first = caller * 5_000;
      Thread thread =
          new Thread(
              () -> {
                pass(start);
                for (int i = first; i < first + 5_000; i++) {
                  int number = i;
                  pool.execute(
                      () -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        running.decrementAndGet();
                        int unused = runs.incrementAndGet(number);
                        left.countDown();
                      });
                }
              });
      thread.start();
    }
    assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(most.get()).isBetween(1, 4);
    for (int i = 0; i < runs.length(); i++) {
      assertThat(runs.get(i)).isEqualTo(1);
    }
  }

  @Test
  void handler_thatComesWhileTheThreadBecomesIdle_runs() {
    HandlerPool pool = pool(1, LONG);
    AtomicInteger ran = new AtomicInteger();
    Random random = new Random(1);
    for (int i = 1; i <= 30_000; i++) {
      pool.execute(ran::incrementAndGet);
      while (ran.get() < i) {
        Thread.onSpinWait();
      }
      for (int spin = random.nextInt(300); spin > 0; spin--) {
        Thread.onSpinWait();
      }
    }
    assertThat(made).hasSize(1);
  }

  @Test
  void threads_areWokenOneAtATime() throws Exception {
    CountDownLatch awake = new CountDownLatch(1);
    HandlerPool pool =
        pool(
            work ->
                new Thread(
                    () -> {
                      await(awake);
                      work.run();
                    }),
            8,
            LONG);
    Phaser ran = new Phaser(9);
    for (int i = 0; i < 8; i++) {
      pool.execute(() -> ran.arriveAndAwaitAdvance());
    }
    assertThat(made).hasSize(1);
    awake.countDown();
    ran.awaitAdvanceInterruptibly(ran.arrive(), 20, TimeUnit.SECONDS);
    assertThat(made).hasSize(8);
  }

  @Test
  void handlers_onOneThread_runInTheirOrder() throws Exception {
    HandlerPool pool = pool(1, LONG);
    BlockingQueue<Integer> ran = new LinkedBlockingQueue<>();
    for (int i = 0; i < 1_000; i++) {
      int number = i;
      pool.execute(() -> ran.add(number));
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(ran.poll(60, TimeUnit.SECONDS)).isEqualTo(i);
    }
    assertThat(made).hasSize(1);
  }

  @Test
  void thread_thatIsIdle_endsAndIsReplaced() throws Exception {
    HandlerPool pool = pool(2, Duration.ofMillis(1));
    for (int i = 0; i < 20; i++) {
      assertThat(run(pool, () -> "done")).isEqualTo("done");
      made.take().join(60_000);
    }
  }

  @Test
  void close_runsWhatIsWaiting_thenThreadsEnd() throws Exception {
    HandlerPool pool = pool(2, LONG);
    CountDownLatch closed = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(10);
    assertThat(run(pool, () -> "idle from now on")).isNotNull();
    for (int i = 0; i < 10; i++) {
      pool.execute(
          () -> {
            await(closed);
            ran.countDown();
          });
    }
    pool.close();
    closed.countDown();
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    for (Thread thread : made) {
      thread.join(60_000);
      assertThat(thread.isAlive()).isFalse();
    }
    assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void close_whileAThreadIsIdle_endsIt() throws Exception {
    HandlerPool pool = pool(1, LONG);
    assertThat(run(pool, () -> "idle from now on")).isNotNull();
    Thread thread = made.take();
    Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    pool.close();
    thread.join(60_000);
    assertThat(thread.isAlive()).isFalse();
  }

  @Test
  void handler_thatThrowsOrIsInterrupted_leavesTheNextAlone() throws Exception {
    HandlerPool pool = pool(1, LONG);
    AssertionError failure = new AssertionError("of the handler");
    pool.execute(
        () -> {
          Thread.currentThread().interrupt();
          throw failure;
        });
    assertThat(run(pool, () -> Thread.currentThread().isInterrupted())).isEqualTo(false);
    assertThat(uncaught.take()).isSameAs(failure);
    made.element()
        .setUncaughtExceptionHandler(
            (thread, thrown) -> {
              throw new IllegalStateException("of what deals with failures");
            });
    pool.execute(
        () -> {
          throw failure;
        });
    assertThat(run(pool, () -> "next")).isEqualTo("next");
    assertThat(made).hasSize(1);
  }

  @Test
  void thread_madeByAnother_inheritsNothingOfIt() throws Exception {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    ThreadFactory threads = ClientThread.daemons("test-");
    InheritableThreadLocal<String> left = new InheritableThreadLocal<>();
    BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
    Runnable look =
        () -> {
          seen.add(Thread.currentThread().getContextClassLoader());
          seen.add(String.valueOf(left.get()));
        };
    Thread other =
        new Thread(
            () -> {
              left.set("of an earlier handler");
              Thread.currentThread().setContextClassLoader(new ClassLoader(loader) {});
              threads.newThread(look).start();
            });
    other.start();
    assertThat(seen.poll(60, TimeUnit.SECONDS)).isSameAs(loader);
    assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo("null");
  }

  @Test
  void handler_handedOverByAnotherThread_inheritsNothingOfIt() throws Exception {
    ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {};
    HandlerThreads threads = createdWith(loader);
    InheritableThreadLocal<String> left = new InheritableThreadLocal<>();
    BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
    Thread other =
        new Thread(
            () -> {
              left.set("of the thread of a store");
              threads.execute(
                  () -> {
                    seen.add(Thread.currentThread().getContextClassLoader());
                    seen.add(String.valueOf(left.get()));
                  });
            });
    other.start();
    assertThat(seen.poll(60, TimeUnit.SECONDS)).isSameAs(loader);
    assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo("null");
    threads.close();
  }

  private static HandlerThreads createdWith(ClassLoader loader) {
    Thread creator = Thread.currentThread();
    ClassLoader before = creator.getContextClassLoader();
    creator.setContextClassLoader(loader);
    try {
      return HandlerThreads.create("test", 1, WorkerOptions.Threads.AUTO);
    } finally {
      creator.setContextClassLoader(before);
    }
  }

  @Test
  void thread_thatCannotBeMade_refusesTheHandlerAndIsTriedAgain() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    HandlerPool pool =
        pool(
            work -> {
              boolean fails = attempts.incrementAndGet() % 2 == 1;
              return new Thread(work) {
                @Override
                public synchronized void start() {
                  if (fails) {
                    throw new OutOfMemoryError("unable to create a thread");
                  }
                  super.start();
                }
              };
            },
            2,
            LONG);
    AtomicInteger refused = new AtomicInteger();
    assertThatThrownBy(() -> pool.execute(refused::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    CyclicBarrier first = new CyclicBarrier(2);
    pool.execute(
        () -> {
          pass(first);
          pass(first);
        });
    pass(first);
    assertThatThrownBy(() -> pool.execute(refused::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(run(pool, () -> "beside the first")).isEqualTo("beside the first");
    pass(first);
    assertThat(refused).hasValue(0);
    assertThat(attempts).hasValue(4);
  }

  @Test
  void thread_thatCannotBeMadeForTheNext_runsItLater() throws Exception {
    CountDownLatch awake = new CountDownLatch(1);
    AtomicInteger attempts = new AtomicInteger();
    HandlerPool pool =
        pool(
            work -> {
              if (attempts.incrementAndGet() > 1) {
                throw new OutOfMemoryError("unable to create a thread");
              }
              return new Thread(
                  () -> {
                    await(awake);
                    work.run();
                  });
            },
            2,
            LONG);
    CountDownLatch ran = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      pool.execute(ran::countDown);
    }
    awake.countDown();
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(made).hasSize(1);
  }

  @Test
  void limit_raisedWhileAHandlerWaits_startsAThread() throws Exception {
    HandlerPool pool = pool(1, Duration.ofSeconds(20));
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    pool.execute(() -> await(end));
    pool.execute(second::countDown);
    pool.limit(() -> 2);
    assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    end.countDown();
  }

  private HandlerPool pool(int most, Duration idleTime) {
    return pool(Thread::new, most, idleTime);
  }

  private HandlerPool pool(ThreadFactory factory, int most, Duration idleTime) {
    ThreadFactory watched =
        work -> {
          Thread thread = factory.newThread(work);
          thread.setUncaughtExceptionHandler((unused, failure) -> uncaught.add(failure));
          made.add(thread);
          return thread;
        };
    HandlerPool pool = new HandlerPool(watched, most, idleTime);
    pools.add(pool);
    return pool;
  }

  private static <T> T run(HandlerPool pool, Supplier<T> handler) throws Exception {
    return CompletableFuture.supplyAsync(handler, pool).get(60, TimeUnit.SECONDS);
  }

  private static void pass(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
