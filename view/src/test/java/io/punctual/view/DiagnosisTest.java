package io.punctual.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Lateness;
import io.punctual.Message;
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
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
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

  private static final Duration OLD = Duration.ofMinutes(5);

  private record Late(QueueLimits limits, long ready, Duration overdue) implements Counts {
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

  private static Diagnosis limited(QueueLimits limits, Duration overdue, WorkerInfo worker) {
    return Diagnosis.of(evidence(new Late(limits, 5_000, overdue), worker));
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

  /** Consumers that are no workers use the rate, too, so few messages show no other cause. */
  @ParameterizedTest
  @CsvSource({"3000, '6,000'", "1000, '2,000'", "0, 0"})
  void queueHasARate_isTheCause_withTheMessagesThatWorkersReceive(long received, String words) {
    QueueLimits limits = QueueLimits.none().rate(100, Duration.ofSeconds(1), 10);
    Duration recent = received == 0 ? Duration.ZERO : Duration.ofSeconds(30);

    Diagnosis found = limited(limits, OLD, worker(Duration.ofHours(1), recent, received));

    assertThat(found.cause()).isEqualTo(Cause.RATE_LIMIT);
    assertThat(found.reason())
        .contains("its workers receive " + words + " of the 6,000 messages a minute");
    assertThat(found.next()).endsWith("for another cause");
  }

  @Test
  void figuresThatShowNoRateOfTheBacklog_areNotNamed() {
    QueueLimits limits = QueueLimits.none().rate(100, Duration.ofSeconds(1), 10);
    QueueLimits low = QueueLimits.none().rate(5, Duration.ofHours(1), 1);
    Row old = worker(Duration.ofHours(1), Duration.ofSeconds(60), 1);
    Row young = worker(Duration.ofSeconds(20), Duration.ofSeconds(20), 1);
    Row longWindow = worker(Duration.ofHours(1), Duration.ofMinutes(10), 1);
    Row unknown = new Row(old.startedAt(), Optional.empty());

    assertThat(
            List.of(
                limited(low, OLD, old),
                limited(limits, Duration.ofSeconds(70), old),
                limited(limits, OLD, young),
                limited(limits, OLD, longWindow),
                limited(limits, OLD, unknown)))
        .allSatisfy(
            found -> {
              assertThat(found.cause()).isEqualTo(Cause.RATE_LIMIT);
              assertThat(found.reason()).doesNotContain("receive");
              assertThat(found.next()).endsWith("until the backlog is gone");
            });
  }

  /** A message that has lost its leases keeps others from their delivery only while it is due. */
  @ParameterizedTest
  @CsvSource({"0, POISON_MESSAGE", "3600, RATE_LIMIT"})
  void messageLostItsLeases_isNamedBeforeALimitIfItIsDue(long delaySeconds, Cause cause) {
    QueueLimits limits = QueueLimits.none().rate(100, Duration.ofSeconds(1), 10);
    Row worker = worker(Duration.ofHours(1), Duration.ZERO, 0);
    List<StoredMessage<?>> lost = lost(Duration.ofSeconds(delaySeconds));
    Evidence limited = evidence(new Late(limits, 1, OLD), worker).withMessages(lost);
    Evidence free = evidence(new Late(QueueLimits.none(), 1, OLD), worker).withMessages(lost);

    assertThat(Diagnosis.of(limited).cause()).isEqualTo(cause);
    assertThat(Diagnosis.of(free).cause()).isEqualTo(Cause.POISON_MESSAGE);
  }

  /** Returns a message with two attempts that ended without a settlement. */
  private static List<StoredMessage<?>> lost(Duration delay) {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      queue.schedule(Message.of(new byte[1]).id("m").dueIn(delay));
      StoredMessage<byte[]> message = queue.find("m").orElseThrow();
      InvocationHandler attempts =
          (proxy, method, values) ->
              method.getName().equals("attempts") ? 2 : method.invoke(message, values);
      Class<?>[] types = {StoredMessage.class};
      ClassLoader loader = StoredMessage.class.getClassLoader();
      return List.of((StoredMessage<?>) Proxy.newProxyInstance(loader, types, attempts));
    }
  }

  /** A message that fails, and waits for its next attempt, keeps no other message. */
  @Test
  void messageFailsAgainAndAgain_isNamedUnlessTheQueueIsLate() {
    Row worker = worker(Duration.ofHours(1), Duration.ZERO, 0);
    List<StoredMessage<?>> failing = failing();
    Evidence onTime = evidence(new Late(QueueLimits.none(), 0, OLD), worker);
    Evidence late = evidence(new Late(QueueLimits.none(), 1, OLD), worker);

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

  /** The clock keeps a message from every worker, also from the first one. */
  @Test
  void messageIsNotDueByTheClockOfTheStore_isNamed_alsoWithoutAWorker() {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      queue.schedule(Message.of(new byte[1]).id("m").dueIn(Duration.ofMinutes(1)));
      List<StoredMessage<?>> waiting =
          List.copyOf(queue.browse(MessageQuery.of(State.SCHEDULED)).items());
      Evidence evidence =
          new Evidence(
              "q",
              1,
              OptionalInt.empty(),
              Optional.of(queue.counts()),
              Optional.of(List.of()),
              waiting,
              Optional.empty(),
              Optional.empty(),
              waiting.get(0).dueAt().plus(OLD));

      Diagnosis found = Diagnosis.of(evidence);

      assertThat(found.cause()).isEqualTo(Cause.CLOCK);
      assertThat(found.late()).isTrue();
      assertThat(found.reason()).contains("at least 5 min behind", "message 'm'");
    }
  }
}
