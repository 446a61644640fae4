package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests messages that a worker has claimed beyond its free handlers. */
class WorkerPrefetchTest {
  private static final Duration LEASE = Duration.ofSeconds(3);

  private ManualWorld world = new ManualWorld();

  /** The payloads that handlers have received, in this order. */
  private final List<String> started = new ArrayList<>();

  /** The stages of the handlers, in the order of their starts. */
  private final List<CompletableFuture<Void>> ends = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private static WorkerOptions.Builder options(int concurrency, int prefetch) {
    return inline().concurrency(concurrency).prefetch(prefetch).lease(LEASE);
  }

  private Worker work(WorkerOptions.Builder options) {
    return work(world.queue, options.build());
  }

  private Worker work(TimedQueue<String> queue, WorkerOptions options) {
    return queue.workStages(options, this::start);
  }

  private CompletableFuture<Void> start(Delivery<String> delivery) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    started.add(delivery.payload());
    ends.add(end);
    return end;
  }

  private void schedule(int messages) {
    world.queue.scheduleAll(
        IntStream.range(0, messages).mapToObj(i -> Message.of("m" + i).id("m" + i)).toList());
  }

  private void endFirst(int handlers) {
    ends.stream()
        .filter(end -> !end.isDone())
        .limit(handlers)
        .toList()
        .forEach(end -> end.complete(null));
  }

  private long running() {
    return ends.stream().filter(end -> !end.isDone()).count();
  }

  private long leased() {
    return world.queue.counts().leased();
  }

  private static List<String> names(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
  }

  @Test
  void prefetch_moreDueThanHandlers_waitsForFreeHandlersInOrder() {
    Worker worker = work(options(2, 4));
    schedule(20);
    assertThat(started).isEqualTo(names(0, 2));
    assertThat(leased()).isEqualTo(2 + 4);
    while (running() > 0) {
      endFirst(1);
      world.advance(Duration.ofMillis(2));
      assertThat(running()).isLessThanOrEqualTo(2);
      assertThat(leased()).isLessThanOrEqualTo(2 + 4);
    }
    assertThat(started).isEqualTo(names(0, 20));
    assertThat(worker.stats().handled()).isEqualTo(20);
    assertThat(world.queue.counts().pending()).isZero();
  }

  @Test
  void prefetch_halfOfItIsFree_claimsOnceForTheHalf() {
    work(options(1, 8));
    schedule(30);
    assertThat(world.events(Event.MessagesClaimed.class))
        .extracting(Event.MessagesClaimed::count)
        .containsExactly(9);
    endFirst(1);
    endFirst(1);
    endFirst(1);
    assertThat(world.events(Event.MessagesClaimed.class)).hasSize(1);
    endFirst(1);
    assertThat(world.events(Event.MessagesClaimed.class))
        .extracting(Event.MessagesClaimed::count)
        .containsExactly(9, 4);
    assertThat(started).isEqualTo(names(0, 5));
  }

  @Test
  void prefetch_off_claimsForFreeHandlersOnly() {
    work(options(2, 0));
    schedule(5);
    assertThat(leased()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void close_messagesWait_areReleasedAndNotCounted(int partitions) {
    world.close();
    world = new ManualWorld(partitions);
    Worker worker = work(options(1, 6));
    schedule(30);
    assertThat(leased()).isEqualTo(1 + 6);
    CompletableFuture<?> closed = worker.closeAsync(Duration.ofSeconds(10)).toCompletableFuture();
    assertThat(leased()).isEqualTo(1);
    assertThat(closed).isNotDone();
    endFirst(1);
    assertThat(closed).isDone();
    assertThat(started).hasSize(1);
    assertThat(world.queue.counts().ready()).isEqualTo(29);
    assertThat(names(0, 30).stream().flatMap(id -> world.queue.find(id).stream()))
        .allSatisfy(message -> assertThat(message.attempts()).isZero());
  }

  @Test
  void close_claimInFlight_itsMessagesAreReleased() {
    HeldClaims held = new HeldClaims();
    try (Punctual punctual =
        Punctual.builder().store(held.of(world.store)).timer(world.clock).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      schedule(5);
      Worker worker = work(queue, options(1, 4).build());
      CompletableFuture<?> closed = worker.closeAsync(Duration.ofSeconds(10)).toCompletableFuture();
      assertThat(closed).isNotDone();
      held.answer();
      assertThat(closed).isDone();
      assertThat(started).isEmpty();
      assertThat(world.queue.counts().ready()).isEqualTo(5);
    }
  }

  @Test
  void pause_messagesWait_areReleasedAndStartAfterTheResume() {
    Worker worker = work(options(1, 3));
    schedule(4);
    worker.pause();
    assertThat(leased()).isEqualTo(1);
    endFirst(1);
    world.advance(LEASE);
    assertThat(started).isEqualTo(names(0, 1));
    assertThat(world.queue.find("m1").orElseThrow().attempts()).isZero();
    worker.resume();
    endFirst(1);
    endFirst(1);
    assertThat(started).isEqualTo(names(0, 4));
  }

  @Test
  void prefetch_waitsForManyLeases_isRenewedAndStartsInItsFirstAttempt() {
    List<Integer> attempts = new ArrayList<>();
    world.queue.workStages(
        options(1, 3).build(),
        delivery -> {
          attempts.add(delivery.attempt());
          return start(delivery);
        });
    schedule(4);
    world.advance(LEASE.multipliedBy(5));
    assertThat(leased()).isEqualTo(4);
    while (running() > 0) {
      endFirst(1);
      world.advance(LEASE.multipliedBy(2));
    }
    assertThat(started).isEqualTo(names(0, 4));
    assertThat(attempts).containsOnly(1);
    assertThat(world.events(Event.LeaseLost.class)).isEmpty();
  }

  @Test
  void prefetch_workerDoesNotRenew_waitingMessagesAreRenewedUntilTheyStart() {
    List<Integer> attempts = new ArrayList<>();
    List<Duration> left = new ArrayList<>();
    world.queue.workStages(
        options(1, 3).renew(false).build(),
        delivery -> {
          attempts.add(delivery.attempt());
          left.add(delivery.remaining());
          return start(delivery);
        });
    schedule(4);
    world.advance(LEASE.multipliedBy(5));
    while (running() > 0) {
      endFirst(1);
      world.advance(Duration.ofMillis(2));
    }
    assertThat(started).isEqualTo(names(0, 4));
    assertThat(attempts).containsOnly(1);
    assertThat(left).allMatch(remaining -> remaining.compareTo(LEASE.dividedBy(2)) > 0);
  }

  @Test
  void prefetch_leaseIsLost_doesNotStartAndComesBackAsANewDelivery() {
    work(options(1, 3));
    schedule(2);
    // The store's clock steps forward, so the leases have ended for the store, but not for the
    // worker.
    world.clock.step(LEASE.plusMillis(1));
    world.advance(LEASE.minusMillis(1));
    assertThat(world.events(Event.LeaseLost.class)).extracting(Event.LeaseLost::id).contains("m1");
    endFirst(1);
    endFirst(1);
    assertThat(started).containsExactly("m0", "m0", "m1");
    assertThat(world.events(Event.MessageHandedOver.class))
        .filteredOn(event -> event.id().equals("m1"))
        .extracting(Event.MessageHandedOver::attempt)
        .containsExactly(2);
  }

  @Test
  void prefetch_replacedWhileItWaits_onlyTheNewMessageStarts() {
    work(options(1, 3));
    schedule(2);
    world.queue.schedule(Message.of("new").id("m1"), IfPresent.REPLACE);
    world.advance(LEASE);
    endFirst(1);
    endFirst(1);
    world.advance(LEASE);
    assertThat(started).containsExactly("m0", "new");
  }

  @Test
  void prefetch_cancelledWhileItWaits_leavesWithTheNextRenewal() {
    work(options(1, 3));
    schedule(3);
    assertThat(world.queue.cancel("m1")).isEqualTo(CancelOutcome.RUNNING);
    world.advance(LEASE.dividedBy(2));
    assertThat(world.queue.find("m1")).isEmpty();
    endFirst(1);
    assertThat(started).containsExactly("m0", "m2");
  }

  @Test
  void prefetch_expiresWhileItWaits_isBuried() {
    work(options(1, 3));
    schedule(1);
    world.queue.schedule(
        Message.of("a").id("a").notAfter(world.clock.instant().plus(Duration.ofSeconds(1))));
    assertThat(leased()).isEqualTo(2);
    world.advance(Duration.ofSeconds(2));
    endFirst(1);
    assertThat(started).containsExactly("m0");
    assertThat(world.queue.find("a").orElseThrow().deadReason()).hasValue(DeadReason.EXPIRED);
  }

  @Test
  void prefetch_sharedPool_permitsBoundTheHandlersAndEachQueueGetsItsTurn() {
    WorkerPool pool = world.punctual.workerPool(inline().concurrency(4).build());
    WorkerOptions options = WorkerOptions.builder().pool(pool).prefetch(10).build();
    List<TimedQueue<String>> queues =
        Stream.of("a", "b", "c").map(name -> world.punctual.queue(name, Codec.string())).toList();
    for (TimedQueue<String> queue : queues) {
      work(queue, options);
      IntStream.range(0, 40).forEach(i -> queue.schedule(queue.name(), Duration.ZERO));
    }
    while (running() > 0) {
      assertThat(running()).isLessThanOrEqualTo(4);
      endFirst(1);
      world.advance(Duration.ofMillis(2));
    }
    assertThat(started).hasSize(120);
    assertThat(started.subList(20, 80)).contains("a", "b", "c");
    for (String name : List.of("a", "b", "c")) {
      assertThat(started.subList(20, 80).stream().filter(name::equals).count()).isBetween(15L, 25L);
    }
  }

  @Test
  void prefetch_sharedPoolAndOneWorkerCloses_theOthersContinue() {
    WorkerPool pool = world.punctual.workerPool(inline().concurrency(1).build());
    WorkerOptions options = WorkerOptions.builder().pool(pool).prefetch(2).build();
    TimedQueue<String> other = world.punctual.queue("other", Codec.string());
    Worker closing = work(world.queue, options);
    schedule(3);
    work(other, options);
    other.schedule("x", Duration.ZERO);
    CompletableFuture<?> closed = closing.closeAsync(Duration.ofSeconds(10)).toCompletableFuture();
    endFirst(1);
    assertThat(closed).isDone();
    assertThat(started).containsExactly("m0", "x");
  }

  @Test
  void prefetch_severalPartitions_eachIsServed() {
    world.close();
    world = new ManualWorld(8);
    work(options(1, 4));
    schedule(400);
    for (int i = 0; i < 400; i++) {
      endFirst(1);
      world.advance(Duration.ofMillis(1));
    }
    assertThat(started).hasSize(400).doesNotHaveDuplicates();
    // A partition with many messages does not delay the messages of other partitions.
    assertThat(
            started.subList(0, 100).stream()
                .map(id -> io.punctual.spi.Partition.indexOf(id, 8))
                .distinct())
        .hasSize(8);
  }

  @Test
  void prefetch_batches_areFilledFromTheWaitingMessages() {
    List<Integer> sizes = new ArrayList<>();
    Queue<Runnable> tasks = new ArrayDeque<>();
    world.queue.workBatches(
        options(1, 10).batchSize(4).executor(tasks::add).build(),
        deliveries -> sizes.add(deliveries.size()));
    schedule(22);
    assertThat(leased()).isEqualTo(4 + 10);
    while (!tasks.isEmpty()) {
      assertThat(tasks).hasSize(1);
      tasks.remove().run();
    }
    assertThat(sizes).containsExactly(4, 4, 4, 4, 4, 2);
  }

  @Test
  void prefetch_concurrencyIsRaised_waitingMessagesStart() {
    Worker worker = work(options(1, 5));
    schedule(6);
    worker.setConcurrency(4);
    assertThat(started).isEqualTo(names(0, 4));
  }

  @Test
  void prefetch_executorRefuses_messagesComeBackAfterTheHoldOff() {
    boolean[] full = {true};
    world.queue.workStages(
        options(1, 3)
            .executor(
                task -> {
                  if (full[0]) {
                    throw new RejectedExecutionException("full");
                  }
                  task.run();
                })
            .build(),
        this::start);
    schedule(3);
    assertThat(started).isEmpty();
    full[0] = false;
    world.advance(Duration.ofSeconds(1));
    endFirst(1);
    endFirst(1);
    assertThat(started).containsExactlyInAnyOrder("m0", "m1", "m2");
    assertThat(world.queue.counts().dead()).isZero();
  }

  @Test
  void prefetch_largeMessages_boundedInBytes() {
    String large = "x".repeat(1_000_000);
    work(options(1, 1000));
    IntStream.range(0, 40).forEach(i -> world.queue.schedule(large + i, Duration.ZERO));
    assertThat(leased()).isBetween(16L, 20L);
    while (running() > 0) {
      endFirst(1);
    }
    assertThat(started).hasSize(40).doesNotHaveDuplicates();
  }
}
