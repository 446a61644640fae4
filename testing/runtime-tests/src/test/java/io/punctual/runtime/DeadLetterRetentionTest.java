package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.deadletter.DeadLetters;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadLetterRetentionTest {
  private static final DeadLetterRetention ALL = DeadLetterRetention.KEEP_ALL;

  private static WorkerOptions keeping(DeadLetterRetention retention) {
    return ManualWorld.inline().deadLetterRetention(retention).build();
  }

  /** Buries messages, a second apart. */
  private static void bury(ManualWorld world, int count) {
    for (int i = 0; i < count; i++) {
      world.queue.schedule("x", Duration.ZERO);
      world.queue.claim(1, Duration.ZERO).get(0).bury("no use");
      world.advance(Duration.ofSeconds(1));
    }
  }

  private static long dead(ManualWorld world) {
    return world.queue.counts().dead();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void worker_maxAge_deletesWithinTwoMinutesOfTheAge(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      bury(world, 10);
      try (Worker worker =
          world.queue.work(keeping(ALL.withMaxAge(Duration.ofHours(1))), delivery -> {})) {
        world.advance(Duration.ofMinutes(59));
        assertThat(dead(world)).isEqualTo(10);
        world.advance(Duration.ofMinutes(3));
        assertThat(dead(world)).isZero();
        assertThat(worker.isClosed()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void worker_maxCount_keepsTheNewest(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      bury(world, 30);
      try (Worker worker = world.queue.work(keeping(ALL.withMaxCount(12)), delivery -> {})) {
        world.advance(Duration.ofMinutes(2));
        assertThat(dead(world)).isEqualTo(12);
        var newest = world.clock.instant().minusSeconds(120 + 13);
        assertThat(world.queue.deadLetters().list(DeadLetterQuery.all().limit(100)).items())
            .allMatch(letter -> letter.diedAt().orElseThrow().isAfter(newest));
        worker.pause();
        bury(world, 5);
        world.advance(Duration.ofMinutes(2));
        assertThat(dead(world)).isEqualTo(12);
        assertThat(worker.isClosed()).isFalse();
      }
    }
  }

  /** Returns a client whose store adds the names of the requests to its partitions to a list. */
  private static Punctual counting(ManualWorld world, List<String> requests) {
    return Punctual.builder()
        .store(RecordedRequests.of(world.store, requests))
        .timer(world.clock)
        .build();
  }

  private static int counts(List<String> requests) {
    return Collections.frequency(requests, "countsNow");
  }

  @Test
  void deleteBeyond_manyAboveTheCount_countsOnceForManyPages() {
    List<String> requests = new CopyOnWriteArrayList<>();
    try (ManualWorld world = new ManualWorld();
        Punctual client = counting(world, requests)) {
      DeadLettersTest.die(world, 12_000, IllegalStateException.class, 42);
      CompletableFuture<Long> deletion =
          client
              .queue("orders", Codec.string())
              .deadLetters()
              .async()
              .deleteBeyond(ALL.withMaxCount(1000))
              .toCompletableFuture();
      world.advance(Duration.ofSeconds(5));
      assertThat(deletion.join()).isEqualTo(11_000);
      assertThat(dead(world)).isEqualTo(1000);
      assertThat(counts(requests)).isLessThan(4);
    }
  }

  @Test
  void worker_numberIsNotReached_countsOnceUntilItMayBe() {
    List<String> requests = new CopyOnWriteArrayList<>();
    try (ManualWorld world = new ManualWorld();
        Punctual client = counting(world, requests)) {
      bury(world, 10);
      Worker worker =
          client
              .queue("orders", Codec.string())
              .work(keeping(ALL.withMaxCount(20)), delivery -> {});
      worker.pause();
      world.advance(Duration.ofHours(1));
      assertThat(counts(requests)).isEqualTo(1);
      bury(world, 8);
      world.advance(Duration.ofHours(1));
      assertThat(counts(requests)).isEqualTo(1);
      bury(world, 7);
      world.advance(Duration.ofMinutes(2));
      assertThat(dead(world)).isEqualTo(20);
      // A run that deletes counts twice, and a first one can meet only some of these dead letters.
      assertThat(counts(requests)).isBetween(2, 5);
      int before = counts(requests);
      world.advance(Duration.ofHours(1));
      assertThat(counts(requests)).isEqualTo(before);
      bury(world, 1);
      world.advance(Duration.ofMinutes(2));
      assertThat(dead(world)).isEqualTo(20);
    }
  }

  @Test
  void retentionByAge_storeFailsAfterTheSessionIsOpen_closesIt() {
    List<String> requests = new CopyOnWriteArrayList<>();
    try (ManualWorld world = new ManualWorld();
        Punctual client =
            Punctual.builder()
                .store(RecordedRequests.failing(world.store, requests, "call"))
                .timer(world.clock)
                .build()) {
      CompletableFuture<Long> deletion =
          client
              .queue("orders", Codec.string())
              .deadLetters()
              .async()
              .deleteBeyond(ALL.withMaxAge(Duration.ofHours(1)))
              .toCompletableFuture();
      assertThat(deletion).isCompletedExceptionally();
      assertThat(Collections.frequency(requests, "openSession"))
          .isEqualTo(Collections.frequency(requests, "closeSession"));
    }
  }

  @Test
  void worker_default_keepsAll() {
    try (ManualWorld world = new ManualWorld()) {
      bury(world, 3);
      try (Worker worker = world.queue.work(ManualWorld.inline().build(), delivery -> {})) {
        world.advance(Duration.ofHours(12));
        assertThat(dead(world)).isEqualTo(3);
        assertThat(worker.isClosed()).isFalse();
      }
      assertThat(WorkerOptions.DEFAULT.deadLetterRetention().keepsAll()).isTrue();
    }
  }

  @Test
  void worker_closed_deletesNoMore() {
    try (ManualWorld world = new ManualWorld()) {
      bury(world, 3);
      world.queue.work(keeping(ALL.withMaxCount(0)), delivery -> {}).close();
      world.advance(Duration.ofHours(1));
      assertThat(dead(world)).isEqualTo(3);
    }
  }

  @Test
  void worker_ownMessagesDie_areKeptForTheirAge() {
    try (ManualWorld world = new ManualWorld();
        Worker worker =
            world.queue.work(
                keeping(ALL.withMaxAge(Duration.ofMinutes(30))),
                delivery -> {
                  throw new IllegalStateException("no use");
                })) {
      world.queue.schedule("x", Duration.ZERO);
      world.advance(Duration.ofMinutes(20));
      assertThat(dead(world)).isOne();
      world.advance(Duration.ofMinutes(15));
      assertThat(dead(world)).isZero();
      assertThat(worker.isClosed()).isFalse();
    }
  }

  @Test
  void deleteBeyond_manyDeadLetters_keepsToItsRate() {
    try (ManualWorld world = new ManualWorld(2)) {
      DeadLettersTest.die(world, 12_000, IllegalStateException.class, 42);
      CompletableFuture<Long> deletion =
          world
              .queue
              .deadLetters()
              .async()
              .deleteBeyond(ALL.withMaxCount(1000))
              .toCompletableFuture();
      world.advance(Duration.ofSeconds(1));
      assertThat(dead(world)).isBetween(5000L, 7500L);
      world.advance(Duration.ofSeconds(2));
      assertThat(deletion.join()).isEqualTo(11_000);
      assertThat(dead(world)).isEqualTo(1000);
    }
  }

  @Test
  void deleteBeyond_twoClientsAtOnce_deleteNoMoreThanOne() {
    try (ManualWorld world = new ManualWorld(3);
        Punctual other = world.client()) {
      DeadLettersTest.die(world, 9000, IllegalStateException.class, 42);
      TimedQueue<String> same = other.queue("orders", Codec.string());
      List<CompletableFuture<Long>> deletions =
          IntStream.range(0, 6)
              .mapToObj(
                  i ->
                      (i % 2 == 0 ? world.queue : same)
                          .deadLetters()
                          .async()
                          .deleteBeyond(ALL.withMaxCount(2000))
                          .toCompletableFuture())
              .toList();
      world.advance(Duration.ofSeconds(10));
      assertThat(deletions.stream().mapToLong(CompletableFuture::join).sum()).isEqualTo(7000);
      assertThat(dead(world)).isEqualTo(2000);
    }
  }

  /** Returns a client whose store fails to delete the dead letters with a text in their ids. */
  private static Punctual failing(ManualWorld world, String part, RuntimeException failure) {
    return Punctual.builder()
        .store(
            RecordedRequests.failing(
                world.store,
                new ArrayList<>(),
                (name, args) -> deletes(args, part) ? failure : null))
        .timer(world.clock)
        .build();
  }

  private static CompletableFuture<Long> deleteAll(ManualWorld world, Punctual client) {
    CompletableFuture<Long> deletion =
        client
            .queue("orders", Codec.string())
            .deadLetters()
            .async()
            .deleteBeyond(ALL.withMaxCount(0))
            .toCompletableFuture();
    world.advance(Duration.ofMinutes(2));
    assertThat(deletion).isDone();
    return deletion;
  }

  private static boolean deletes(Object @Nullable [] args, String part) {
    return args != null
        && args[0] instanceof Call call
        && call.body() instanceof Call.Apply apply
        && apply.operations().stream()
            .anyMatch(each -> each instanceof Operation.DeleteDead && each.id().contains(part));
  }

  @Test
  void deleteBeyond_refusedDeadLetters_areLeft() {
    RuntimeException refusal = new Partition.PartitionException("NOPERM", null);
    try (ManualWorld world = new ManualWorld();
        Punctual client = failing(world, "42-7", refusal)) {
      DeadLettersTest.die(world, 1200, IllegalStateException.class, 42);
      assertThat(deleteAll(world, client)).isCompletedWithValue(1089L);
      assertThat(dead(world)).isEqualTo(111);
      assertThat(deleteAll(world, client)).isCompletedWithValue(0L);
    }
  }

  @Test
  void deleteBeyond_outage_endsTheRun() {
    RuntimeException outage = new Partition.NotSentException("no connection", null);
    try (ManualWorld world = new ManualWorld();
        Punctual client = failing(world, "42-7", outage)) {
      DeadLettersTest.die(world, 1200, IllegalStateException.class, 42);
      assertThat(deleteAll(world, client)).isCompletedExceptionally();
      assertThat(dead(world)).isBetween(111L, 1199L);
      assertThat(deleteAll(world, world.punctual)).isCompleted();
      assertThat(dead(world)).isZero();
    }
  }

  @Test
  void deleteBeyond_clientClosed_isRefused() {
    ManualWorld world = new ManualWorld();
    DeadLetters<String> letters = world.queue.deadLetters();
    world.close();
    assertThatThrownBy(() -> letters.deleteBeyond(ALL.withMaxCount(1)))
        .isInstanceOf(ClientClosedException.class);
  }

  @Test
  void retention_valuesOutOfRange_areRefused() {
    assertThatThrownBy(() -> ALL.withMaxAge(Duration.ofMillis(999)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxAge");
    assertThatThrownBy(() -> ALL.withMaxAge(Duration.ofDays(400_000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ALL.withMaxCount(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxCount");
  }
}
