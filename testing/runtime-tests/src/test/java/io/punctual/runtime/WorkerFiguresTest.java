package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.punctual.Codec;
import io.punctual.Lateness;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import io.punctual.spi.Announcement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the figures that workers show to every process. */
class WorkerFiguresTest {
  private static final WorkerOptions INLINE =
      WorkerOptions.builder()
          .executor(Runnable::run)
          .retryPolicy(RetryPolicy.never())
          .concurrency(100)
          .build();

  private final AnnouncingStore store = new AnnouncingStore();

  private Punctual client() {
    return Punctual.builder().store(store.view()).timer(store.clock).build();
  }

  private static TimedQueue<String> queue(Punctual client) {
    return client.queue("q", Codec.string());
  }

  /** Schedules messages that are late by 1, 2, 3 … milliseconds. */
  private void scheduleLate(Punctual client, int messages) {
    List<Message<String>> late = new ArrayList<>();
    for (int i = 1; i <= messages; i++) {
      late.add(Message.of("x").dueAt(store.clock.instant().minusMillis(i)));
    }
    queue(client).scheduleAll(late);
  }

  private static List<WorkerFigures> figures(Punctual client) {
    return client.workers().stream().map(WorkerInfo::figures).flatMap(Optional::stream).toList();
  }

  private static Lateness lateness(Punctual client) {
    return Lateness.sum(figures(client).stream().map(WorkerFigures::lateness).toList());
  }

  @Test
  void latenessOfTwoProcesses_isShownByAThird_within15Seconds() {
    try (Punctual first = client();
        Punctual second = client();
        Punctual third = client()) {
      queue(first).work(INLINE, delivery -> {});
      second.queue("r", Codec.string()).work(INLINE, delivery -> {});
      store.clock.advance(Duration.ofSeconds(3));
      scheduleLate(first, 1000);
      second.queue("r", Codec.string()).schedule("x", Duration.ZERO);
      store.clock.advance(Duration.ofSeconds(12));
      Lateness all = lateness(third);
      assertThat(all.count()).isEqualTo(1001);
      assertThat(all.percentile(99).toMillis()).isCloseTo(990, within(130L));
      assertThat(all.percentile(50).toMillis()).isCloseTo(500, within(65L));
      assertThat(all.max()).isEqualTo(Duration.ofSeconds(1));
      assertThat(figures(third)).extracting(WorkerFigures::handled).containsExactly(1000L, 1L);
    }
  }

  @Test
  void recentFigures_coverAboutAMinute_andRatesAreTrue() {
    try (Punctual client = client();
        Punctual other = client()) {
      queue(client).work(INLINE, delivery -> {});
      scheduleLate(client, 500);
      for (int i = 0; i < 200; i++) {
        store.clock.advance(Duration.ofSeconds(1));
        queue(client).schedule("x", Duration.ZERO);
      }
      store.clock.advance(Duration.ofSeconds(10));
      WorkerFigures figures = figures(other).get(0);
      assertThat(figures.handled()).isEqualTo(700);
      assertThat(figures.recent()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(70));
      assertThat(figures.handledPerMinute()).isBetween(40.0, 61.0);
      assertThat(figures.lateness().max()).isZero();
      assertThat(figures.lateness().count()).isEqualTo(figures.recentlyHandled());
      store.clock.advance(Duration.ofMinutes(2));
      assertThat(figures(other).get(0).handledPerMinute()).isZero();
      assertThat(figures(other).get(0).lateness().count()).isZero();
    }
  }

  /** A store can then renew an announcement without sending it again. */
  @Test
  void idleWorker_announcesTheSameTextAgain() {
    try (Punctual client = client()) {
      queue(client).work(INLINE, delivery -> {});
      scheduleLate(client, 10);
      store.clock.advance(Duration.ofMinutes(5));
      int size = store.texts.size();
      store.clock.advance(Duration.ofMinutes(1));
      assertThat(store.texts.subList(size, store.texts.size()))
          .hasSizeGreaterThan(4)
          .containsOnly(store.texts.get(size - 1));
    }
  }

  @Test
  void failedAndRunning_areShown() {
    CompletableFuture<Void> end = new CompletableFuture<>();
    try (Punctual client = client();
        Punctual other = client()) {
      queue(client)
          .work(
              INLINE,
              delivery -> {
                throw new IllegalStateException("seeded by the test");
              });
      Worker busy = client.queue("r", Codec.string()).workStages(INLINE, delivery -> end);
      queue(client).schedule("x", Duration.ZERO);
      client.queue("r", Codec.string()).schedule("x", Duration.ZERO);
      store.clock.advance(Duration.ofSeconds(11));
      WorkerFigures failing = figures(other).get(0);
      assertThat(failing.failed()).isOne();
      assertThat(failing.failedPerMinute()).isCloseTo(5.5, within(0.6));
      assertThat(figures(other).get(1).running()).isOne();
      assertThat(figures(other).get(1).handled()).isZero();
      end.complete(null);
      busy.close();
    }
  }

  /** A store without a list of workers shows those of its client. */
  @Test
  void figures_memoryStore_areThoseOfNow() {
    try (Punctual client = Punctual.builder().store(store.memory).timer(store.clock).build()) {
      queue(client).work(INLINE, delivery -> {});
      scheduleLate(client, 10);
      store.clock.advance(Duration.ofSeconds(1));
      assertThat(lateness(client).count()).isEqualTo(10);
      assertThat(figures(client).get(0).recent()).isEqualTo(Duration.ofSeconds(1));
    }
  }

  @Test
  void announcementOfAnEarlierVersion_isReadWithoutFigures() {
    try (Punctual client = client()) {
      String text = "1\tweb-3\t4711\t0.9\n1700000000000\t8\tpaused\torders\tnight";
      store.announced("earlier", text);
      WorkerInfo worker = client.workers().get(0);
      assertThat(worker.name()).isEqualTo("night");
      assertThat(worker.host()).isEqualTo("web-3");
      assertThat(worker.isPaused()).isTrue();
      assertThat(worker.figures()).isEmpty();
      assertThat(worker.id()).startsWith("earlier");
    }
  }

  /** Such processes read the first five fields, and take a line as a worker. */
  @Test
  void announcement_isReadByAnEarlierVersion() {
    try (Punctual client = client()) {
      queue(client).work(INLINE, delivery -> {});
      scheduleLate(client, 100);
      store.clock.advance(Duration.ofSeconds(11));
      String[] lines = store.texts.get(store.texts.size() - 1).split("\n", -1);
      assertThat(lines).hasSize(2);
      assertThat(lines[0].split("\t", -1)).hasSize(4).startsWith("1");
      String[] fields = lines[1].split("\t", -1);
      assertThat(Long.parseLong(fields[0])).isPositive();
      assertThat(fields[1]).isEqualTo("100");
      assertThat(fields[2]).isEqualTo("running");
      assertThat(fields[3]).isEqualTo("q");
      assertThat(fields[4]).isEqualTo("q");
      assertThat(new Announcement("c", String.join("\n", lines), 0).queues()).containsExactly("q");
    }
  }

  @Test
  void announcementOfALaterVersion_isReadAsFarAsItCanBe() {
    try (Punctual client = client()) {
      store.announced(
          "later",
          """
          1\tweb-3\t4711\t9.9\tmore
          5\t8\trunning\torders\tday\t7\t1 2 3 what 5 6\toperator\th\t5\tv\tmore
          a line
          5\t8\trunning\torders\tnight\t8\t9 2 3 1000 5 6 77 143 1,2,3\t""");
      assertThat(client.workers()).extracting(WorkerInfo::name).containsExactly("day", "night");
      assertThat(figures(client)).isEmpty();
    }
  }

  @Test
  void figures_thatDoNotFit_areLeftOutBeforeWorkers() {
    WorkerOptions options =
        WorkerOptions.builder().name("n".repeat(120)).executor(Runnable::run).build();
    try (Punctual client = client()) {
      for (int i = 0; i < 1400; i++) {
        TimedQueue<String> queue = client.queue("q" + i, Codec.string());
        queue.work(options, delivery -> {});
        for (int late = 1; late < 2000; late *= 2) {
          queue.schedule(Message.of("x").dueAt(store.clock.instant().minusMillis(late)));
        }
      }
      store.clock.advance(Duration.ofSeconds(15));
      List<WorkerInfo> listed = client.workers();
      assertThat(listed).hasSize(1400);
      assertThat(figures(client)).hasSizeBetween(100, 1399);
      assertThat(store.texts).allMatch(text -> text.length() <= Announcement.MAX_BYTES);
    }
  }
}
