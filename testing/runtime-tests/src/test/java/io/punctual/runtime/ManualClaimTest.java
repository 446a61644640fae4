package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests manual claims, most of them with a manual clock. */
class ManualClaimTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  private CompletableFuture<List<Delivery<String>>> claim(ManualWorld in, int max, Duration wait) {
    return in.queue
        .async()
        .claim(max, ClaimOptions.DEFAULT.lease(LEASE).maxWait(wait))
        .toCompletableFuture();
  }

  @Test
  void claim_nothingDue_emptyWhenTheWaitIsOver() {
    CompletableFuture<List<Delivery<String>>> claim = claim(world, 1, Duration.ofSeconds(5));
    world.advance(Duration.ofMillis(4_999));
    assertThat(claim).isNotDone();
    world.advance(Duration.ofMillis(1));
    assertThat(claim).isCompletedWithValue(List.of());
  }

  @Test
  void claim_dueWithinTheWait_answeredThen() {
    world.queue.schedule("a", Duration.ofSeconds(2));
    CompletableFuture<List<Delivery<String>>> claim = claim(world, 10, Duration.ofSeconds(5));
    world.queue.schedule("b", Duration.ofSeconds(1));
    world.advance(Duration.ofSeconds(1));
    assertThat(claim.join()).extracting(Delivery::payload).containsExactly("b");
  }

  @Test
  void claim_noWait_asksEveryPartitionOnce() {
    try (ManualWorld partitions = new ManualWorld(8)) {
      partitions.queue.schedule(Message.of("a").id("somewhere"));
      assertThat(partitions.queue.claim(1, Duration.ZERO)).hasSize(1);
      assertThat(partitions.queue.claim(1, Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void claim_severalPartitionsLater_answeredByWhicheverHasSomething() {
    try (ManualWorld partitions = new ManualWorld(8)) {
      CompletableFuture<List<Delivery<String>>> claim = claim(partitions, 1, Duration.ofMinutes(1));
      partitions.queue.schedule(Message.of("a").id("x").dueIn(Duration.ofSeconds(10)));
      partitions.advance(Duration.ofSeconds(9));
      assertThat(claim).isNotDone();
      partitions.advance(Duration.ofSeconds(1));
      assertThat(claim.join()).hasSize(1);
    }
  }

  @Test
  void claim_cancelledFuture_whatComesLaterStays() {
    CompletableFuture<List<Delivery<String>>> claim = claim(world, 1, Duration.ofMinutes(1));
    claim.cancel(false);
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(2));
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
  }

  @Test
  void claim_manyCallersWait_shareTheirClaimsInTheOrderOfArrival() {
    AtomicInteger claims = new AtomicInteger();
    HeldClaims counting =
        new HeldClaims(
            body -> {
              claims.addAndGet(body instanceof Call.Claim ? 1 : 0);
              return false;
            });
    try (Punctual client =
        Punctual.builder().store(counting.of(world.store)).timer(world.clock).build()) {
      TimedQueue<String> queue = client.queue("orders", Codec.string());
      List<CompletableFuture<List<Delivery<String>>>> waiting = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        waiting.add(
            queue
                .async()
                .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofMinutes(1)))
                .toCompletableFuture());
      }
      claims.set(0);
      queue.schedule("first", Duration.ZERO);
      assertThat(waiting.get(0)).isDone();
      assertThat(waiting.get(0).join()).extracting(Delivery::payload).containsExactly("first");
      assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(1);
      assertThat(claims.get()).isLessThanOrEqualTo(2);
      queue.scheduleAll(
          IntStream.range(1, 100).mapToObj(i -> Message.of("m" + i).id("m" + i)).toList());
      assertThat(waiting).allSatisfy(each -> assertThat(each).isDone());
      assertThat(waiting).allSatisfy(each -> assertThat(each.join()).hasSize(1));
      assertThat(claims.get()).isLessThan(20);
    }
  }

  @Test
  void claim_firstOfTheSharingCallersGivesUp_theNextReceivesTheMessage() {
    HeldClaims held = new HeldClaims();
    try (Punctual client =
        Punctual.builder().store(held.of(world.store)).timer(world.clock).build()) {
      TimedQueue<String> queue = client.queue("orders", Codec.string());
      Duration wait = Duration.ofMinutes(1);
      var alone =
          queue
              .async()
              .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(wait))
              .toCompletableFuture();
      var first =
          queue
              .async()
              .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(wait))
              .toCompletableFuture();
      var second =
          queue
              .async()
              .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(wait))
              .toCompletableFuture();
      queue.schedule("a", Duration.ZERO);
      held.answerNext();
      assertThat(alone).isNotDone();
      first.cancel(false);
      alone.cancel(false);
      held.answerNext();
      assertThat(second).succeedsWithin(Duration.ZERO);
      assertThat(second.join()).extracting(Delivery::payload).containsExactly("a");
    }
  }

  @Test
  void claim_receiversOfASharedReplyAskAgain_shareTheNextClaim() {
    List<Integer> limits = new ArrayList<>();
    HeldClaims held =
        new HeldClaims(
            body -> {
              if (body instanceof Call.Claim claim) {
                limits.add(claim.limit());
              }
              return body instanceof Call.Claim;
            });
    try (Punctual client =
        Punctual.builder().store(held.of(world.store)).timer(world.clock).build()) {
      TimedQueue<String> queue = client.queue("orders", Codec.string());
      world.queue.scheduleAll(
          IntStream.range(0, 6).mapToObj(i -> Message.of("m" + i).id("m" + i)).toList());
      var alone = queue.async().claim(1, ClaimOptions.DEFAULT.lease(LEASE));
      List<CompletionStage<?>> again = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        again.add(
            queue
                .async()
                .claim(1, ClaimOptions.DEFAULT.lease(LEASE))
                .thenCompose(
                    received -> queue.async().claim(1, ClaimOptions.DEFAULT.lease(LEASE))));
      }
      held.answer();
      assertThat(alone.toCompletableFuture()).isDone();
      assertThat(again).allSatisfy(each -> assertThat(each.toCompletableFuture()).isDone());
      assertThat(limits).containsExactly(1, 2, 2);
    }
  }

  @Test
  void claim_callerOfAnUnsentClaimGivesUp_theNextReceivesTheMessage() {
    HeldClaims held = new HeldClaims();
    try (Punctual client =
        Punctual.builder().store(held.of(world.store)).timer(world.clock).build()) {
      TimedQueue<String> queue = client.queue("orders", Codec.string());
      Duration wait = Duration.ofMinutes(1);
      var first =
          queue
              .async()
              .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(wait))
              .toCompletableFuture();
      var second =
          queue
              .async()
              .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(wait))
              .toCompletableFuture();
      held.answer();
      int mostInFlight = 64;
      for (int i = 1; i <= mostInFlight; i++) {
        var unused = queue.async().claim(1, ClaimOptions.DEFAULT.lease(LEASE.plusSeconds(i)));
      }
      world.queue.schedule("a", Duration.ZERO);
      first.cancel(false);
      held.answer();
      assertThat(second).succeedsWithin(Duration.ZERO);
      assertThat(second.join()).extracting(Delivery::payload).containsExactly("a");
    }
  }

  @Test
  void settle_twice_refused() {
    world.queue.schedule("a", Duration.ZERO);
    Delivery<String> delivery = world.queue.claim(1, Duration.ZERO).get(0);
    assertThat(delivery.ack()).isEqualTo(SettleOutcome.DONE);
    assertThatThrownBy(delivery::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void settle_leaseRunOutAndClaimedAgain_leaseLost() {
    world.queue.schedule("a", Duration.ZERO);
    Delivery<String> first = world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
    world.advance(LEASE);
    assertThat(first.isLost()).isTrue();
    Delivery<String> second = world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(first.ack()).isEqualTo(SettleOutcome.LEASE_LOST);
    assertThat(second.ack()).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  void extend_beforeTheEnd_movesTheDeadline() {
    world.queue.schedule("a", Duration.ZERO);
    Delivery<String> delivery = world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
    world.advance(LEASE.dividedBy(2));
    assertThat(delivery.extend(LEASE)).isEqualTo(SettleOutcome.DONE);
    assertThat(delivery.remaining()).isEqualTo(LEASE);
    world.advance(LEASE.minusMillis(1));
    assertThat(world.queue.claim(1, Duration.ZERO)).isEmpty();
    assertThat(delivery.isLost()).isFalse();
  }

  @Test
  void claim_answeredAfterTheLeaseIsOver_givenBackAndNotHandedOver() {
    ManualClock clock = new ManualClock();
    MemoryStore store = MemoryStore.builder().clock(clock).build();
    try (Punctual slow =
        Punctual.builder()
            .store(SlowAnswers.of(store, clock, LEASE))
            .timer(clock)
            .blockingTimeout(Duration.ofMinutes(1))
            .build()) {
      TimedQueue<String> queue = slow.queue("orders", Codec.string());
      queue.schedule(Message.of("a").id("late"));
      assertThat(queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofSeconds(1))))
          .isEmpty();
      assertThat(queue.find("late").orElseThrow().attempts()).isZero();
      assertThat(queue.find("late").orElseThrow().state()).isEqualTo(State.READY);
    }
  }

  /**
   * A string codec that records the threads that decode payloads. It cannot decode an empty
   * payload.
   */
  private static final class RecordingCodec implements Codec<String> {
    private final Set<Thread> decoders = ConcurrentHashMap.newKeySet();

    @Override
    public byte[] encode(String payload) {
      return Codec.string().encode(payload);
    }

    @Override
    public String decode(byte[] bytes) {
      decoders.add(Thread.currentThread());
      if (bytes.length == 0) {
        throw new IllegalArgumentException("empty");
      }
      return Codec.string().decode(bytes);
    }
  }

  @Test
  void claim_codec_runsOnTheCallersThreadAndNotOnTheStores() {
    RecordingCodec codec = new RecordingCodec();
    try (Punctual real = Punctual.builder().store(MemoryStore.builder().build()).build()) {
      TimedQueue<String> queue = real.queue("orders", codec);
      queue.schedule("", Duration.ofMillis(10));
      queue.schedule("late", Duration.ofMillis(30));
      assertThat(queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofMinutes(1))))
          .extracting(Delivery::payload)
          .containsExactly("late");
    }
    assertThat(codec.decoders).containsExactly(Thread.currentThread());
  }

  @Test
  void asyncClaim_codec_runsOnTheCallbackExecutor() throws Exception {
    RecordingCodec codec = new RecordingCodec();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (Punctual real =
        Punctual.builder()
            .store(MemoryStore.builder().build())
            .callbackExecutor(executor)
            .build()) {
      TimedQueue<String> queue = real.queue("orders", codec);
      queue.schedule("late", Duration.ofMillis(30));
      queue
          .async()
          .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofMinutes(1)))
          .toCompletableFuture()
          .get();
      assertThat(codec.decoders).containsExactly(executor.submit(Thread::currentThread).get());
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void claim_interrupted_messagesThatComeLaterAreGivenBack() throws Exception {
    try (Punctual real = Punctual.builder().store(MemoryStore.builder().build()).build()) {
      TimedQueue<String> queue = real.queue("orders", Codec.string());
      Thread.currentThread().interrupt();
      assertThatThrownBy(
              () ->
                  queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofMinutes(1))))
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
      queue.schedule(Message.of("a").id("a"));
      assertThat(queue.find("a").orElseThrow().attempts()).isZero();
    }
  }
}
