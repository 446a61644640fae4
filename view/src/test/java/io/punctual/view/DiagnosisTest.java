package io.punctual.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Lateness;
import io.punctual.MessageQuery;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which cause of several signs is named, by evidence that is hard to stage. */
class DiagnosisTest {
  /** A time before all messages of the tests. */
  private static final Instant NOW = Instant.parse("2020-01-01T00:00:00Z");

  private record Late(QueueLimits limits, long ready) implements Counts {
    @Override
    public long scheduled() {
      return 0;
    }

    @Override
    public long leased() {
      return 1;
    }

    @Override
    public long dead() {
      return 0;
    }

    @Override
    public long finished() {
      return 0;
    }

    @Override
    public boolean paused() {
      return false;
    }

    @Override
    public PauseNote pauseNote() {
      return PauseNote.NONE;
    }

    @Override
    public Duration overdue() {
      return Duration.ofMinutes(5);
    }
  }

  private record Received(long count) implements Lateness {
    @Override
    public Duration percentile(double percent) {
      return Duration.ZERO;
    }

    @Override
    public Duration max() {
      return Duration.ZERO;
    }

    @Override
    public List<Bucket> buckets() {
      return List.of();
    }
  }

  private record Figures(Duration recent, Lateness lateness) implements WorkerFigures {
    @Override
    public long handled() {
      return 0;
    }

    @Override
    public long failed() {
      return 0;
    }

    @Override
    public int running() {
      return 1;
    }

    @Override
    public long recentlyHandled() {
      return 0;
    }

    @Override
    public long recentlyFailed() {
      return 0;
    }
  }

  private record Row(Instant startedAt, Optional<WorkerFigures> figures) implements WorkerInfo {
    @Override
    public String id() {
      return "1";
    }

    @Override
    public String name() {
      return "q";
    }

    @Override
    public String queue() {
      return "q";
    }

    @Override
    public int concurrency() {
      return 16;
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
      return "web-1";
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
    public Instant lastSeenAt() {
      return NOW;
    }
  }

  private static Row worker(Duration age, Duration recent, long received) {
    return new Row(NOW.minus(age), Optional.of(new Figures(recent, new Received(received))));
  }

  private static Cause cause(QueueLimits limits, WorkerInfo worker) {
    return Diagnosis.of(evidence(new Late(limits, 5_000), worker)).cause();
  }

  private static Evidence evidence(Counts counts, WorkerInfo worker) {
    return new Evidence(
        "q",
        1,
        OptionalInt.empty(),
        Optional.of(counts),
        Optional.of(List.of(worker)),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        NOW);
  }

  @ParameterizedTest
  @CsvSource({"3000, RATE_LIMIT", "2000, RATE_LIMIT", "1000, UNKNOWN", "0, UNKNOWN"})
  void handlersReceive_whatTheRateAllows_orLess(long received, Cause cause) {
    QueueLimits limits = QueueLimits.none().rate(100, Duration.ofSeconds(1), 10);
    Duration recent = received == 0 ? Duration.ZERO : Duration.ofSeconds(30);

    assertThat(cause(limits, worker(Duration.ofHours(1), recent, received))).isEqualTo(cause);
  }

  @Test
  void figuresThatShowNoRate_leaveTheLimitAsTheCause() {
    QueueLimits limits = QueueLimits.none().rate(100, Duration.ofSeconds(1), 10);
    QueueLimits low = QueueLimits.none().rate(5, Duration.ofHours(1), 1);
    Row old = worker(Duration.ofHours(1), Duration.ZERO, 0);

    assertThat(cause(low, old)).isEqualTo(Cause.RATE_LIMIT);
    assertThat(cause(limits, worker(Duration.ofSeconds(20), Duration.ZERO, 0)))
        .isEqualTo(Cause.RATE_LIMIT);
    assertThat(cause(limits, new Row(old.startedAt(), Optional.empty())))
        .isEqualTo(Cause.RATE_LIMIT);
  }

  /** A message that fails, and waits for its next attempt, keeps no other message. */
  @Test
  void messageFailsAgainAndAgain_isNamedUnlessTheQueueIsLate() {
    Row worker = worker(Duration.ofHours(1), Duration.ZERO, 0);
    List<StoredMessage<?>> failing = failing();
    Evidence onTime = evidence(new Late(QueueLimits.none(), 0), worker);
    Evidence late = evidence(new Late(QueueLimits.none(), 1), worker);

    assertThat(Diagnosis.of(onTime.withMessages(failing)).cause()).isEqualTo(Cause.POISON_MESSAGE);
    assertThat(Diagnosis.of(late.withMessages(failing)).cause()).isEqualTo(Cause.UNKNOWN);
  }

  private static List<StoredMessage<?>> failing() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      queue.schedule(new byte[1], Duration.ZERO);
      for (int failures = 1; failures <= 3; failures++) {
        Duration delay = failures == 3 ? Duration.ofHours(1) : Duration.ZERO;
        SettleOutcome unused = queue.claim(1, Duration.ofMinutes(1)).get(0).retry(delay, "no card");
      }
      return List.copyOf(queue.browse(MessageQuery.of(State.SCHEDULED)).items());
    }
  }
}
