package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import io.punctual.event.EventObserver;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import io.punctual.timer.WheelTimer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WorkerShutdownTest {
  private final ManualWorld world = new ManualWorld();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    world.close();
    threads.shutdownNow();
  }

  private State state(String id) {
    return world.queue.find(id).orElseThrow().state();
  }

  @Test
  void close_byAnObserverOfTheStart_clientForgetsTheWorker() {
    AtomicReference<WeakReference<Worker>> started = new AtomicReference<>();
    EventObserver closesWorkers =
        event -> {
          if (event instanceof Event.WorkerStarted start) {
            started.set(new WeakReference<>(start.worker()));
            start.worker().close(Duration.ofMillis(1));
          }
        };
    try (Punctual punctual = Punctual.builder().url("memory:").observer(closesWorkers).build()) {
      assertThat(punctual.queue("a", Codec.string()).work(delivery -> {}).isClosed()).isTrue();
      await()
          .until(
              () -> {
                System.gc();
                return started.get().get() == null;
              });
    }
  }

  @Test
  void close_timersOfTheCloseFireWhileTheWorkerEnds_itEndsOnce() {
    ManualClock clock = new ManualClock();
    List<Event> stops = new ArrayList<>();
    EventObserver passesTime =
        event -> {
          if (event instanceof Event.WorkerStopped) {
            stops.add(event);
            clock.advance(Duration.ofMinutes(1));
          }
        };
    try (MemoryStore store = MemoryStore.builder().clock(clock).build();
        Punctual punctual =
            Punctual.builder().store(store).timer(clock).observer(passesTime).build()) {
      Worker worker = punctual.queue("a", Codec.string()).work(delivery -> {});
      worker.close(Duration.ofSeconds(1));
      assertThat(worker.isClosed()).isTrue();
    }
    assertThat(stops).hasSize(1);
  }

  @Test
  void close_claimedButNotStarted_givenBackWithoutCountingTheAttempt() {
    Queue<Runnable> stuck = new ArrayDeque<>();
    Worker worker =
        world.queue.work(
            WorkerOptions.builder().executor(stuck::add).build(),
            delivery -> {
              throw new AssertionError("must not run");
            });
    world.queue.schedule(Message.of("a").id("a"));
    assertThat(state("a")).isEqualTo(State.LEASED);
    worker.close();
    assertThat(state("a")).isEqualTo(State.READY);
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
    stuck.forEach(Runnable::run);
  }

  @Test
  void close_runningHandler_waitedForAndAcked() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        world.queue.work(
            delivery -> {
              started.countDown();
              finish.await();
            });
    world.queue.schedule(Message.of("a").id("a"));
    started.await();
    Future<?> closing = threads.submit(() -> worker.close());
    Future<?> again = threads.submit(() -> worker.close());
    finish.countDown();
    closing.get();
    again.get();
    assertThat(world.queue.find("a")).isEmpty();
    assertThat(worker.await(Duration.ZERO)).isTrue();
  }

  @Test
  void close_graceOver_interruptedAndGivenBack() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    Worker worker =
        world.queue.work(
            delivery -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
              }
            });
    world.queue.schedule(Message.of("a").id("a"));
    started.await();
    Future<?> closing = threads.submit(() -> worker.close(Duration.ofSeconds(20)));
    await()
        .until(
            () -> {
              world.advance(Duration.ofSeconds(10));
              return interrupted.get();
            });
    closing.get();
    assertThat(state("a")).isEqualTo(State.READY);
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
  }

  /**
   * Starts a worker whose handler swallows the interrupt of the shutdown, and closes the worker.
   */
  private void closeAndSwallow(Consumer<Delivery<String>> beforeTheReturn) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Worker worker =
        world.queue.work(
            delivery -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException swallowed) {
                beforeTheReturn.accept(delivery);
                interrupted.countDown();
              }
            });
    world.queue.schedule(Message.of("a").id("a"));
    started.await();
    Future<?> closing = threads.submit(() -> worker.close(Duration.ofSeconds(20)));
    await()
        .until(
            () -> {
              world.advance(Duration.ofSeconds(10));
              return interrupted.getCount() == 0;
            });
    closing.get();
  }

  @Test
  void close_handlerSwallowsItsInterruptAndReturns_messageIsNotLost() throws Exception {
    closeAndSwallow(delivery -> {});
    assertThat(state("a")).isEqualTo(State.READY);
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
  }

  @Test
  void close_handlerSettlesAfterItsInterrupt_staysSettled() throws Exception {
    closeAndSwallow(Delivery::ack);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void close_handlerThatIgnoresItsInterrupt_endsAllTheSame() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    AtomicBoolean finish = new AtomicBoolean();
    Worker worker =
        world.queue.work(
            delivery -> {
              started.countDown();
              while (!finish.get()) {
                Thread.onSpinWait();
              }
            });
    world.queue.schedule(Message.of("a").id("a"));
    started.await();
    Future<?> closing = threads.submit(() -> worker.close(Duration.ofSeconds(1)));
    await()
        .until(
            () -> {
              world.advance(Duration.ofSeconds(1));
              return closing.isDone();
            });
    finish.set(true);
    await().until(() -> worker.running() == 0);
  }

  @Test
  void close_fromTheHandlerItself_returnsAndAcks() throws Exception {
    AtomicReference<Worker> self = new AtomicReference<>();
    CountDownLatch ready = new CountDownLatch(1);
    Worker worker =
        world.queue.work(
            delivery -> {
              ready.await();
              self.get().close();
            });
    self.set(worker);
    ready.countDown();
    world.queue.schedule(Message.of("a").id("a"));
    worker.await();
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void close_punctualFromAHandler_returnsAtOnceAndAcks() throws Exception {
    Punctual other = world.client();
    Worker worker =
        other.queue("orders", Codec.string()).work(delivery -> other.close(Duration.ofDays(1)));
    world.queue.schedule(Message.of("a").id("a"));
    worker.await();
    assertThat(world.events(Event.MessageAcked.class)).hasSize(1);
  }

  @Test
  void close_punctual_laterCallsSaySo() {
    Punctual other = world.client();
    var queue = other.queue("orders", Codec.string());
    Worker worker = queue.work(delivery -> {});
    other.close();
    other.close();
    assertThat(worker.running()).isZero();
    assertThatThrownBy(() -> queue.schedule("a", Duration.ZERO))
        .isInstanceOf(ClientClosedException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> queue.work(delivery -> {})).hasMessageContaining("closed");
  }

  @Test
  void close_punctual_endsClaimsThatWait() {
    CompletableFuture<List<Delivery<String>>> claim =
        world
            .queue
            .async()
            .claim(
                1, ClaimOptions.DEFAULT.lease(Duration.ofSeconds(30)).maxWait(Duration.ofHours(1)))
            .toCompletableFuture();
    world.punctual.close();
    assertThat(claim).isCompletedWithValue(List.of());
  }

  @Test
  @Timeout(300)
  void close_timerWasClosedBefore_workersAndClientEnd() throws Exception {
    WheelTimer timer = WheelTimer.create();
    Punctual punctual = Punctual.builder().url("memory:").timer(timer).build();
    TimedQueue<String> queue = punctual.queue("a", Codec.string());
    Worker worker = queue.work(delivery -> {});
    queue.schedule(Message.of("late").dueIn(Duration.ofHours(1)));
    CompletableFuture<?> take = queue.async().take(1, Duration.ofHours(1)).toCompletableFuture();
    timer.close();
    worker.close();
    punctual.close();
    assertThat(worker.isClosed()).isTrue();
    assertThat(take).isDone();
  }

  @Test
  @Timeout(300)
  void handlerEnds_timerWasClosedBefore_workerClaimsNoMoreAndEnds() throws Exception {
    WheelTimer timer = WheelTimer.create();
    Punctual punctual = Punctual.builder().url("memory:").timer(timer).build();
    TimedQueue<String> queue = punctual.queue("a", Codec.string());
    CountDownLatch timerClosed = new CountDownLatch(1);
    AtomicReference<Future<?>> call = new AtomicReference<>();
    WorkerOptions options =
        WorkerOptions.builder()
            .concurrency(1)
            .executor(task -> call.set(threads.submit(task)))
            .build();
    Worker worker = queue.work(options, delivery -> timerClosed.await());
    queue.schedule(Message.of("first").id("first"));
    queue.schedule(Message.of("second").id("second"));
    await().until(() -> worker.running() == 1);
    timer.close();
    timerClosed.countDown();
    assertThat(call.get()).succeedsWithin(Duration.ofSeconds(60));
    assertThat(worker.running()).isZero();
    assertThat(queue.find("second").orElseThrow().state()).isEqualTo(State.READY);
    worker.close();
    punctual.close();
  }
}
