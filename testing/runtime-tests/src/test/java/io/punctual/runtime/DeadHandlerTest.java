package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Failure;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.UndecodableException;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the handler of messages that are about to be buried. */
class DeadHandlerTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final RetryPolicy TWICE = RetryPolicy.fixed(SECOND).maxAttempts(2);

  private final ManualWorld world = new ManualWorld();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> dead = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    world.close();
    threads.shutdownNow();
  }

  private StoredMessage<String> find(String id) {
    return world.queue.find(id).orElseThrow();
  }

  private WorkerOptions.Builder twice() {
    return inline().lease(LEASE).retryPolicy(TWICE);
  }

  private void record(Delivery<String> delivery, DeadReason reason, Throwable failure) {
    dead.add(delivery.payload() + " " + reason + " " + delivery.attempt() + " " + failure);
  }

  private static void fail(Delivery<String> delivery) {
    throw new IllegalStateException("down");
  }

  private void schedule(String id) {
    world.queue.schedule(Message.of(id).id(id));
  }

  @Test
  void lastAttemptFails_getsPayloadAndFailuresBeforeTheBurial() {
    world
        .queue
        .withDeadHandler(
            (delivery, reason, failure) -> {
              record(delivery, reason, failure);
              assertThat(delivery.failures()).extracting(Failure::attempt).containsExactly(1);
              assertThat(find("a").state()).isEqualTo(State.LEASED);
            })
        .work(twice().build(), DeadHandlerTest::fail);
    schedule("a");
    world.advance(SECOND);
    assertThat(dead).containsExactly("a FAILED 2 java.lang.IllegalStateException: down");
    assertThat(find("a").deadReason()).hasValue(DeadReason.FAILED);
    assertThat(find("a").failures()).extracting(Failure::attempt).containsExactly(1, 2);
  }

  @Test
  void throwsItself_buriedWithBothFailures() {
    world
        .queue
        .withDeadHandler(
            (delivery, reason, failure) -> {
              throw new IllegalArgumentException("no address");
            })
        .work(twice().build(), DeadHandlerTest::fail);
    schedule("a");
    world.advance(SECOND);
    assertThat(find("a").state()).isEqualTo(State.DEAD);
    assertThat(find("a").reason()).hasValue("java.lang.IllegalStateException: down");
    assertThat(find("a").failures())
        .last()
        .extracting(Failure::error)
        .isEqualTo("the dead handler: java.lang.IllegalArgumentException: no address");
  }

  @Test
  void acksTheDelivery_notBuried() {
    world
        .queue
        .withDeadHandler((delivery, reason, failure) -> delivery.ack())
        .work(twice().build(), DeadHandlerTest::fail);
    schedule("a");
    world.advance(SECOND);
    assertThat(world.queue.find("a")).isEmpty();
    assertThat(world.events(Event.MessageBuried.class)).isEmpty();
  }

  @Test
  void expired_runsInsteadOfTheHandler() {
    world.queue.schedule(Message.of("a").id("a").notAfter(world.clock.instant().plusSeconds(1)));
    world.advance(LEASE);
    world.queue.withDeadHandler(this::record).work(twice().build(), DeadHandlerTest::fail);
    assertThat(dead).containsExactly("a EXPIRED 1 null");
    assertThat(find("a").deadReason()).hasValue(DeadReason.EXPIRED);
  }

  @Test
  void undecodable_payloadThrowsAgain() {
    world
        .punctual
        .queue("orders", Codec.bytes())
        .schedule(Message.of(new byte[] {(byte) 0xff}).id("bad"));
    world
        .queue
        .withDeadHandler(this::record)
        .work(inline().retryPolicy(RetryPolicy.never()).build(), DeadHandlerTest::fail);
    assertThat(find("bad").deadReason()).hasValue(DeadReason.UNDECODABLE);
    assertThat(find("bad").failures())
        .extracting(Failure::error)
        .hasSize(2)
        .allMatch(error -> error.contains(UndecodableException.class.getName()));
  }

  @Test
  void workersDied_runsUnlessTheDeadHandlerMayBeTheCause() {
    schedule("a");
    TimedQueue<String> queue =
        world.queue.withDeadHandler(
            (delivery, reason, failure) -> {
              record(delivery, reason, failure);
              throw new IllegalStateException("no address");
            });
    ClaimOptions often =
        ClaimOptions.DEFAULT.lease(LEASE).policy(RetryPolicy.DEFAULT.maxAttempts(9));
    for (int i = 0; i < 5; i++) {
      assertThat(world.queue.claim(1, often)).hasSize(1);
      world.advance(LEASE);
    }
    assertThat(queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE).policy(TWICE))).isEmpty();
    assertThat(dead).isEmpty();
    assertThat(find("a").deadReason()).hasValue(DeadReason.WORKERS_DIED);
    schedule("b");
    for (int i = 0; i < 2; i++) {
      assertThat(world.queue.claim(1, often)).hasSize(1);
      world.advance(LEASE);
    }
    assertThat(queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE).policy(TWICE))).isEmpty();
    await(() -> find("b").state() == State.DEAD);
    assertThat(dead).containsExactly("b WORKERS_DIED 3 null");
  }

  @Test
  void buriedByTheConsumer_doesNotRun() {
    schedule("a");
    world
        .queue
        .withDeadHandler(this::record)
        .work(twice().build(), delivery -> delivery.bury("negative amount"));
    assertThat(dead).isEmpty();
    assertThat(find("a").deadReason()).hasValue(DeadReason.BY_CALLER);
  }

  @Test
  void batchFails_runsForEachMessageThatIsNotSettled() {
    schedule("a");
    schedule("b");
    schedule("c");
    world
        .queue
        .withDeadHandler(this::record)
        .workBatches(
            inline().retryPolicy(RetryPolicy.never()).build(),
            deliveries -> {
              deliveries.get(0).ack();
              throw new IllegalStateException("down");
            });
    assertThat(dead)
        .containsExactly(
            "b FAILED 1 java.lang.IllegalStateException: down",
            "c FAILED 1 java.lang.IllegalStateException: down");
    assertThat(world.queue.counts().dead()).isEqualTo(2);
  }

  @Test
  void asyncHandlerFails_runsOnAHandlersThread() {
    List<Thread> ranOn = new ArrayList<>();
    CompletableFuture<String> stage = new CompletableFuture<>();
    List<Runnable> tasks = new ArrayList<>();
    Worker worker =
        world
            .queue
            .withDeadHandler((delivery, reason, failure) -> ranOn.add(Thread.currentThread()))
            .workStages(
                WorkerOptions.builder()
                    .executor(tasks::add)
                    .retryPolicy(RetryPolicy.never())
                    .build(),
                delivery -> stage);
    schedule("a");
    tasks.remove(0).run();
    stage.completeExceptionally(new IllegalStateException("down"));
    assertThat(ranOn).isEmpty();
    assertThat(worker.running()).isOne();
    tasks.remove(0).run();
    assertThat(ranOn).hasSize(1);
    assertThat(worker.running()).isZero();
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void executorDropsTheCall_permitIsFreeWhenTheLeaseIsOver() {
    List<Runnable> tasks = new ArrayList<>();
    CompletableFuture<String> stage = new CompletableFuture<>();
    Worker worker =
        world
            .queue
            .withDeadHandler(this::record)
            .workStages(
                WorkerOptions.builder()
                    .executor(tasks::add)
                    .lease(LEASE)
                    .concurrency(1)
                    .retryPolicy(RetryPolicy.never())
                    .build(),
                delivery -> stage);
    schedule("a");
    tasks.remove(0).run();
    stage.completeExceptionally(new IllegalStateException("down"));
    tasks.clear();
    world.advance(LEASE);
    assertThat(worker.running()).isZero();
    assertThat(find("a").state()).isNotEqualTo(State.DEAD);
  }

  @Test
  void takesLongerThanTheLease_leaseIsRenewed() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    blocking(entered, leave, WorkerOptions.builder().lease(LEASE));
    schedule("a");
    entered.await();
    world.advance(LEASE.multipliedBy(5));
    assertThat(world.events(Event.LeaseLost.class)).isEmpty();
    leave.countDown();
    await(() -> find("a").state() == State.DEAD);
  }

  @Test
  void handlerTimeout_interrupted() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    blocking(
        entered, new CountDownLatch(1), WorkerOptions.builder().lease(LEASE).handlerTimeout(LEASE));
    schedule("a");
    entered.await();
    world.advance(LEASE);
    await(() -> find("a").state() == State.DEAD);
    assertThat(dead).containsExactly("interrupted");
    assertThat(find("a").failures()).last().asString().contains("InterruptedException");
  }

  @Test
  void workerCloses_graceIsOver_releasedForTheNextWorker() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    Worker worker = blocking(entered, new CountDownLatch(1), WorkerOptions.builder().lease(LEASE));
    schedule("a");
    entered.await();
    Future<?> closing = threads.submit(() -> worker.close(Duration.ZERO));
    assertThat(closing).succeedsWithin(Duration.ofSeconds(60));
    assertThat(dead).containsExactly("interrupted");
    assertThat(find("a").state()).isEqualTo(State.READY);
  }

  @Test
  void workerCloses_handlerSwallowsItsInterrupt_releasedForTheNextWorker() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Worker worker =
        world
            .queue
            .withDeadHandler(
                (delivery, reason, failure) -> {
                  entered.countDown();
                  try {
                    never.await();
                  } catch (InterruptedException swallowed) {
                    dead.add("interrupted");
                  }
                })
            .work(
                WorkerOptions.builder().lease(LEASE).retryPolicy(RetryPolicy.never()).build(),
                DeadHandlerTest::fail);
    schedule("a");
    entered.await();
    Future<?> closing = threads.submit(() -> worker.close(Duration.ZERO));
    assertThat(closing).succeedsWithin(Duration.ofSeconds(60));
    assertThat(dead).containsExactly("interrupted");
    assertThat(find("a").state()).isEqualTo(State.READY);
  }

  @Test
  void closesItsWorker_doesNotDeadlock() {
    List<Worker> self = new ArrayList<>();
    self.add(
        world
            .queue
            .withDeadHandler(
                (delivery, reason, failure) -> {
                  self.get(0).close();
                  dead.add("closed");
                })
            .work(
                WorkerOptions.builder().retryPolicy(RetryPolicy.never()).build(),
                DeadHandlerTest::fail));
    schedule("a");
    await(() -> find("a").state() == State.DEAD);
    assertThat(dead).containsExactly("closed");
  }

  private Worker blocking(
      CountDownLatch entered, CountDownLatch leave, WorkerOptions.Builder options) {
    DeadHandler<String> handler =
        (delivery, reason, failure) -> {
          entered.countDown();
          try {
            leave.await();
          } catch (InterruptedException e) {
            dead.add("interrupted");
            throw e;
          }
        };
    return world
        .queue
        .withDeadHandler(handler)
        .work(options.retryPolicy(RetryPolicy.never()).build(), DeadHandlerTest::fail);
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().until(condition);
  }
}
