package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.AnnouncedWorker;
import io.punctual.ClientClosedException;
import io.punctual.PauseWorkerOutcome;
import io.punctual.Punctual;
import io.punctual.WorkerAnnouncement;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests workers that a process announces without being their process. */
class AnnouncedWorkerTest {
  private static final WorkerAnnouncement BILLING = WorkerAnnouncement.of("orders", "billing-3");

  private final AnnouncingStore store = new AnnouncingStore();

  private Punctual client() {
    return Punctual.builder().store(store.view()).timer(store.clock).build();
  }

  @Test
  void announcedWorker_isListedWithItsProcessAndFigures_untilItsClose() {
    try (Punctual server = client();
        Punctual other = client()) {
      AnnouncedWorker worker =
          server.announce(BILLING.concurrency(16).host("web-7").pid(4711).version("python 0.1"));
      worker.received(Duration.ofMillis(250));
      worker.received(Duration.ofMillis(-5));
      worker.handled();
      worker.failed();
      worker.setRunning(1);
      store.clock.advance(Duration.ofSeconds(11));
      WorkerInfo listed = other.workers().get(0);
      assertThat(listed.id()).isEqualTo(worker.id());
      assertThat(listed.queue()).isEqualTo("orders");
      assertThat(listed.name()).isEqualTo("billing-3");
      assertThat(listed.concurrency()).isEqualTo(16);
      assertThat(listed.host()).isEqualTo("web-7");
      assertThat(listed.pid()).isEqualTo(4711);
      assertThat(listed.version()).isEqualTo("python 0.1");
      WorkerFigures figures = listed.figures().orElseThrow();
      assertThat(figures.handled()).isOne();
      assertThat(figures.failed()).isOne();
      assertThat(figures.running()).isOne();
      assertThat(figures.lateness().count()).isEqualTo(2);
      assertThat(figures.lateness().max()).isEqualTo(Duration.ofMillis(250));
      worker.setConcurrency(4);
      store.clock.advance(Duration.ofSeconds(10));
      assertThat(other.workers().get(0).concurrency()).isEqualTo(4);
      worker.close();
      worker.close();
      worker.handled();
      store.clock.advance(Duration.ofSeconds(1));
      assertThat(other.workers()).isEmpty();
    }
  }

  @Test
  void announcedWorker_withoutAHost_isInThisProcess() {
    try (Punctual client = client();
        Punctual other = client()) {
      client.announce(BILLING);
      store.clock.advance(Duration.ofSeconds(1));
      assertThat(other.workers().get(0).pid()).isEqualTo(ProcessHandle.current().pid());
      client.announce(BILLING.host("web-7"));
      store.clock.advance(Duration.ofSeconds(1));
      WorkerInfo elsewhere = other.workers().get(1);
      assertThat(elsewhere.host()).isEqualTo("web-7");
      assertThat(elsewhere.pid()).isZero();
      assertThat(elsewhere.version()).isEqualTo("unknown");
    }
  }

  /** Each poll of a worker in another language may be a worker of its own. */
  @Test
  void thousandsThatComeAndGo_costFewAnnouncements() {
    try (Punctual server = client()) {
      Deque<AnnouncedWorker> open = new ArrayDeque<>();
      for (int i = 0; i < 2000; i++) {
        open.add(server.announce(BILLING.host("web-" + i)));
      }
      for (int i = 0; i < 2000; i++) {
        open.add(server.announce(BILLING.host("web-" + i)));
        open.remove().close();
        store.clock.advance(Duration.ofMillis(5));
      }
      long bytes = store.texts.stream().mapToLong(String::length).sum();
      assertThat(bytes).isLessThan(10 * 150_000);
      assertThat(server.workers()).hasSizeBetween(1500, 2000);
      open.forEach(AnnouncedWorker::close);
      store.clock.advance(Duration.ofSeconds(3));
      assertThat(server.workers()).isEmpty();
    }
  }

  @Test
  void pause_byAnOperator_isSeenByTheCaller() {
    try (Punctual server = client();
        Punctual operator = client()) {
      AnnouncedWorker worker = server.announce(BILLING);
      store.clock.advance(Duration.ofSeconds(1));
      assertThat(worker.isPaused()).isFalse();
      assertThat(operator.pauseWorker(worker.id())).isEqualTo(PauseWorkerOutcome.REQUESTED);
      store.clock.advance(Duration.ofSeconds(11));
      assertThat(worker.isPaused()).isTrue();
      assertThat(operator.workers().get(0).isPausedByOperator()).isTrue();
    }
  }

  @Test
  void pause_byAnyClient_runsTheActionOnce_aResumeDoesNot() {
    try (Punctual server = client();
        Punctual operator = client()) {
      AnnouncedWorker worker = server.announce(BILLING);
      AtomicInteger pauses = new AtomicInteger();
      worker.onPause(
          () -> {
            assertThat(worker.isPaused()).isTrue();
            pauses.incrementAndGet();
          });
      store.clock.advance(Duration.ofSeconds(1));
      operator.pauseWorker(worker.id());
      store.clock.advance(Duration.ofSeconds(31));
      assertThat(pauses).hasValue(1);
      server.resumeWorker(worker.id());
      assertThat(pauses).hasValue(1);
      server.pauseWorker(worker.id());
      assertThat(pauses).hasValue(2);
    }
  }

  @Test
  void pause_whoseActionFails_isObeyedAllTheSame() {
    try (Punctual server = client()) {
      AnnouncedWorker worker = server.announce(BILLING);
      worker.onPause(
          () -> {
            throw new IllegalStateException("the action");
          });
      assertThat(server.pauseWorker(worker.id())).isEqualTo(PauseWorkerOutcome.REQUESTED);
      assertThat(worker.isPaused()).isTrue();
    }
  }

  @Test
  void client_isClosed_theListIsGoneAndStaysSo() {
    Punctual server = client();
    AnnouncedWorker worker = server.announce(BILLING);
    store.clock.advance(Duration.ofSeconds(1));
    server.close();
    worker.handled();
    worker.close();
    assertThatThrownBy(() -> server.announce(BILLING)).isInstanceOf(ClientClosedException.class);
    store.clock.advance(Duration.ofMinutes(1));
    assertThat(store.texts).last().isEqualTo("");
    assertThat(store.texts).hasSize(2);
  }

  @Test
  void announcement_outOfRange_isRefused() {
    for (Runnable wrong :
        new Runnable[] {
          () -> WorkerAnnouncement.of("no queue", "a"),
          () -> WorkerAnnouncement.of("q", ""),
          () -> WorkerAnnouncement.of("q", "a\tb"),
          () -> WorkerAnnouncement.of("q", "\ud800"),
          () -> WorkerAnnouncement.of("q", "n".repeat(257)),
          () -> BILLING.concurrency(0),
          () -> BILLING.host("a\nb"),
          () -> BILLING.host("h".repeat(257)),
          () -> BILLING.host("h").version("v".repeat(65)),
          () -> BILLING.pid(5),
          () ->
              new WorkerAnnouncement(
                  "q", "a", 1, Optional.empty(), OptionalLong.empty(), Optional.of("v"))
        }) {
      assertThatThrownBy(wrong::run).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
