package io.punctual.http.survey;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Lateness;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final History history = new History(() -> BEGIN);

  private long sum;

  @Test
  void minuteHasTheDeliveriesOfAllWorkers() {
    Instant now = BEGIN.plus(MINUTE);

    history.sample(List.of(worker("a", 60), worker("a2", "a", 30), worker("b", 6)), now);

    assertThat(counts(now, MINUTE, 2)).containsExactly(0L, 96L);
  }

  @Test
  void deliveryCountsOnceHoweverOftenItIsSampled() {
    for (int seconds = 10; seconds <= 120; seconds += 10) {
      history.sample(List.of(worker("a", seconds >= 60 ? 2 : 1)), BEGIN.plusSeconds(seconds));
    }

    assertThat(counts(BEGIN.plusSeconds(120), MINUTE, 3)).containsExactly(1L, 1L, 0L);
  }

  @Test
  void workerThatRanBeforeTheHistoryCountsFromItsFirstSample() {
    Instant later = BEGIN.plus(Duration.ofHours(1));
    History young = new History(() -> later);

    young.sample(List.of(worker("a", 1000)), later);
    young.sample(List.of(worker("a", 1003)), later.plusSeconds(10));

    assertThat(young.past(queue -> true, later, MINUTE, 1))
        .extracting(History.Span::onTime)
        .containsExactly(3L);
  }

  @Test
  void dayIsKeptByFiveMinutes() {
    for (int minute = 0; minute < 120; minute++) {
      sum += 1;
      history.sample(List.of(worker("a", sum)), BEGIN.plus(MINUTE.multipliedBy(minute)));
    }

    Instant now = BEGIN.plus(Duration.ofMinutes(119));
    assertThat(counts(now, Duration.ofMinutes(15), 8))
        .containsExactly(15L, 15L, 15L, 15L, 15L, 15L, 15L, 15L);
    assertThat(counts(now, MINUTE, 60)).containsOnly(1L);
  }

  @Test
  void queuesOfOthersAreLeftOut() {
    Instant now = BEGIN.plus(MINUTE);
    history.sample(List.of(worker("mine", 5), worker("theirs", 7)), now);

    List<History.Span> spans = history.past("mine"::equals, now, MINUTE, 2);

    assertThat(spans).extracting(History.Span::onTime).containsExactly(0L, 5L);
  }

  @Test
  void clockThatIsSetBackDoesNotStopTheHistory() {
    history.sample(List.of(worker("a", 10)), BEGIN.plus(Duration.ofHours(5)));
    history.sample(List.of(worker("a", 20)), BEGIN.plus(MINUTE));

    assertThat(counts(BEGIN.plus(MINUTE), MINUTE, 2)).containsExactly(0L, 10L);
  }

  @Test
  void queuesBeyondTheLimitAreNotKept() {
    List<WorkerInfo> workers = new ArrayList<>();
    for (int i = 0; i < 1100; i++) {
      workers.add(worker("q" + i, 1));
    }

    history.sample(workers, BEGIN);

    assertThat(counts(BEGIN, MINUTE, 1)).containsExactly(1000L);
  }

  private List<Long> counts(Instant now, Duration width, int spans) {
    return history.past(queue -> true, now, width, spans).stream()
        .map(History.Span::onTime)
        .toList();
  }

  private static WorkerInfo worker(String queue, long handled) {
    return worker(queue, queue, handled);
  }

  private static WorkerInfo worker(String id, String queue, long handled) {
    return new Announced(id, queue, new Figures(handled));
  }

  private record Figures(long handled) implements WorkerFigures {
    @Override
    public long recentlyHandled() {
      return handled;
    }

    @Override
    public long failed() {
      return 0;
    }

    @Override
    public int running() {
      return 0;
    }

    @Override
    public Duration recent() {
      return MINUTE;
    }

    @Override
    public long recentlyFailed() {
      return 0;
    }

    @Override
    public Lateness lateness() {
      return Lateness.NONE;
    }
  }

  private record Announced(String id, String queue, Figures own) implements WorkerInfo {
    @Override
    public String name() {
      return queue;
    }

    @Override
    public int concurrency() {
      return 1;
    }

    @Override
    public boolean isPaused() {
      return false;
    }

    @Override
    public boolean isPausedByOperator() {
      return false;
    }

    @Override
    public String host() {
      return "host";
    }

    @Override
    public long pid() {
      return 1;
    }

    @Override
    public String version() {
      return "1";
    }

    @Override
    public Instant startedAt() {
      return BEGIN;
    }

    @Override
    public Instant lastSeenAt() {
      return BEGIN;
    }

    @Override
    public Optional<WorkerFigures> figures() {
      return Optional.of(own);
    }
  }
}
