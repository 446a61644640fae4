package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.Worker;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
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
    try (Punctual first = client(partition);
        Punctual second = client(partition)) {
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

  private static Punctual client(TestPartition partition) {
    return Punctual.builder().store(UnclosedStore.of(partition.store())).build();
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
