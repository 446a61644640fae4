package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.punctual.AnnouncedWorker;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Lateness;
import io.punctual.LeaseHolder;
import io.punctual.Message;
import io.punctual.PauseWorkerOutcome;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerAnnouncement;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The workers of all processes are listed while they run. */
interface WorkersContract {
  Duration MINUTE = Duration.ofMinutes(1);

  @Test
  default void announce_untilItsEnd_isListedWithTheLatestText(TestPartition partition) {
    partition.needs(Capability.WORKERS);
    Store store = partition.store();
    String client = TestSession.newId();
    String other = TestSession.newId();
    announce(store, client, "first", MINUTE);
    announce(store, other, "other \u20ac\n\t" + "x".repeat(100_000), MINUTE);
    Announcement first = find(store, client);
    assertThat(first).isNotNull();
    partition.advance(Duration.ofMillis(5));
    announce(store, client, "second", MINUTE);
    Announcement second = find(store, client);
    assertThat(second).isNotNull();
    if (first != null && second != null) {
      assertThat(first.text()).isEqualTo("first");
      assertThat(second.text()).isEqualTo("second");
      assertThat(second.seenMillis()).isGreaterThan(first.seenMillis());
    }
    assertThat(StoreResults.await(store.announcements(List.of()))).isEmpty();
    assertThat(StoreResults.await(store.announcements(List.of(client, "absent"))))
        .extracting(Announcement::text)
        .containsExactly("second");
    Announcement large = find(store, other);
    assertThat(large == null ? "" : large.text()).hasSize(100_009).startsWith("other \u20ac\n\t");
    announce(store, client, "", MINUTE);
    announce(store, client, "", MINUTE);
    assertThat(find(store, client)).isNull();
    announce(store, other, "other", Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(find(store, other)).isNull();
    announce(store, other, "", MINUTE);
  }

  private static void announce(Store store, String client, String text, Duration keep) {
    StoreResults.await(store.announce(client, text, keep).thenApply(done -> true));
  }

  /** Two operators can write at the same time. */
  @Test
  default void announce_sameClientAtTheSameTime_keepsOneOfTheTexts(TestPartition partition) {
    partition.needs(Capability.WORKERS);
    Store store = partition.store();
    String client = TestSession.newId();
    for (int round = 0; round < 5; round++) {
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        all.add(store.announce(client, "text " + i, MINUTE).toCompletableFuture());
      }
      all.forEach(StoreResults::await);
      assertThat(StoreResults.await(store.announcements(List.of(client))))
          .singleElement()
          .extracting(Announcement::text)
          .asString()
          .startsWith("text ");
      announce(store, client, "", MINUTE);
    }
  }

  private static @Nullable Announcement find(Store store, String client) {
    return StoreResults.await(store.announcements()).stream()
        .filter(each -> each.client().equals(client))
        .findFirst()
        .orElse(null);
  }

  @Test
  default void workers_ofTwoProcesses_areListedWhileTheyRun(TestPartition partition) {
    partition.needs(Capability.WORKERS);
    String queue = partition.partition().queue();
    try (Punctual first = partition.client();
        Punctual second = partition.client()) {
      WorkerOptions options = WorkerOptions.builder().name("mail\tsender").concurrency(7).build();
      Worker worker = first.queue(queue, Codec.string()).work(options, delivery -> {});
      first.queue(queue, Codec.string()).work(delivery -> {});
      List<WorkerInfo> both = await(second, queue, all -> all.size() == 2);
      WorkerInfo named =
          both.stream().filter(info -> info.concurrency() == 7).findFirst().orElseThrow();
      assertThat(named.name()).isEqualTo("mail sender");
      assertThat(named.pid()).isEqualTo(ProcessHandle.current().pid());
      assertThat(named.host()).isNotEmpty();
      assertThat(named.isPaused()).isFalse();
      worker.close();
      assertThat(await(second, queue, all -> all.size() == 1))
          .extracting(WorkerInfo::name)
          .containsExactly(queue);
      first.close();
      assertThat(workers(second, queue)).isEmpty();
    }
  }

  @Test
  default void pauseWorker_ofAnotherProcess_isObeyed(TestPartition partition) {
    partition.needs(Capability.WORKERS);
    String queue = partition.partition().queue();
    try (Punctual first = partition.client();
        Punctual second = partition.client()) {
      Worker worker = first.queue(queue, Codec.string()).work(delivery -> {});
      AnnouncedWorker other =
          first.announce(WorkerAnnouncement.of(queue, "python").host("far").pid(7));
      List<WorkerInfo> listed = await(second, queue, all -> all.size() == 2);
      for (WorkerInfo each : listed) {
        assertThat(second.pauseWorker(each.id())).isEqualTo(PauseWorkerOutcome.REQUESTED);
      }
      first.announce(WorkerAnnouncement.of(queue, "so that the next renewal is soon"));
      await(second, queue, all -> all.stream().filter(WorkerInfo::isPausedByOperator).count() == 2);
      assertThat(worker.isPaused()).isTrue();
      assertThat(other.isPaused()).isTrue();
      assertThat(second.resumeWorker(other.id())).isEqualTo(PauseWorkerOutcome.REQUESTED);
      first.announce(WorkerAnnouncement.of(queue, "so that the next renewal is soon"));
      await(second, queue, all -> all.stream().filter(WorkerInfo::isPausedByOperator).count() == 1);
      assertThat(other.isPaused()).isFalse();
      assertThat(second.pauseWorker("none")).isEqualTo(PauseWorkerOutcome.NOT_FOUND);
    }
  }

  @Test
  default void figuresOfTwoProcesses_areShownByAThird(TestPartition partition)
      throws InterruptedException {
    partition.needs(Capability.WORKERS);
    String queue = partition.partition().queue();
    CountDownLatch all200 = new CountDownLatch(200);
    List<Long> lateMillis = Collections.synchronizedList(new ArrayList<>());
    try (Punctual first = partition.client();
        Punctual second = partition.client();
        Punctual third = partition.client()) {
      TimedQueue<String> messages = third.queue(queue, Codec.string());
      for (int i = 1; i <= 200; i++) {
        messages.schedule(Message.of("late").dueAt(Instant.now().minusMillis(10L * i)));
      }
      for (Punctual each : List.of(first, second)) {
        each.queue(queue, Codec.string())
            .work(
                WorkerOptions.builder().concurrency(3).build(),
                delivery -> {
                  lateMillis.add(delivery.lateness().toMillis());
                  all200.countDown();
                });
      }
      assertThat(all200.await(30, TimeUnit.SECONDS)).isTrue();
      for (Punctual each : List.of(first, second)) {
        each.queue(queue, Codec.string()).work(delivery -> {}); // so that the figures are sent soon
      }
      await(third, queue, all -> lateness(all).count() == 200);
      List<Long> sorted = lateMillis.stream().sorted().toList();
      assertThat((double) lateness(workers(third, queue)).percentile(99).toMillis())
          .isCloseTo(sorted.get(197), withinPercentage(20));
    }
  }

  @Test
  default void claimant_isNamedToEveryProcess(TestPartition partition) {
    partition.needs(Capability.BROWSE);
    ClaimOptions options = ClaimOptions.DEFAULT.lease(MINUTE).maxWait(MINUTE).claimant("billing-3");
    try (Punctual first = partition.client();
        Punctual second = partition.client()) {
      TimedQueue<String> queue = first.queue(partition.partition().queue(), Codec.string());
      queue.schedule(Message.of("late").id("a"));
      partition.advance(Duration.ofMillis(5));
      queue.claim(1, options).get(0).retry(Duration.ZERO);
      partition.advance(Duration.ofMillis(5));
      Delivery<String> held = queue.claim(1, options).get(0);
      assertThat(held.attempt()).isEqualTo(2);
      assertThat(holder(queue).claimant()).contains("billing-3");
      if (partition.has(Capability.WORKERS)) {
        TimedQueue<String> seen = second.queue(queue.name(), Codec.string());
        awaitTrue(() -> holder(seen).claimant().isPresent());
        assertThat(holder(seen).describe()).startsWith("billing-3 on ");
      }
      held.ack();
    }
  }

  private static LeaseHolder holder(TimedQueue<String> queue) {
    return queue.find("a").orElseThrow().leaseHolder().orElseThrow();
  }

  private static void awaitTrue(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  private static Lateness lateness(List<WorkerInfo> workers) {
    return Lateness.sum(
        workers.stream()
            .flatMap(worker -> worker.figures().stream())
            .map(WorkerFigures::lateness)
            .toList());
  }

  private static List<WorkerInfo> workers(Punctual punctual, String queue) {
    return punctual.workers().stream().filter(info -> info.queue().equals(queue)).toList();
  }

  /**
   * Waits until the listed workers meet a condition, because a process announces its workers a
   * moment after their start.
   */
  private static List<WorkerInfo> await(
      Punctual punctual, String queue, Predicate<List<WorkerInfo>> condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    List<WorkerInfo> found = workers(punctual, queue);
    while (!condition.test(found) && System.nanoTime() - deadline < 0) {
      found = workers(punctual, queue);
    }
    assertThat(condition.test(found)).as("%s", found).isTrue();
    return found;
  }
}
