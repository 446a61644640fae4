package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClientClosedException;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.event.Event;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.internal.session.ScriptedPartition;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionCorrectionTest {
  private static final Reply STORED =
      new Reply.Applied(List.of(new Outcome.OfSchedule(ScheduleOutcome.STORED, 5, null)), 1, null);

  private final StepTimer timer = new StepTimer();
  private final List<Event> events = new ArrayList<>();
  private final Environment env = TestEnvironment.of(new FailingTimer(), events::add);

  /**
   * The requests that the store has not answered yet; each asks for the partitions of the queue.
   */
  private final Deque<CompletableFuture<List<Partition>>> questions = new ArrayDeque<>();

  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("safetyCheckInterval")) {
                  return Duration.ofSeconds(1);
                }
                CompletableFuture<List<Partition>> question = new CompletableFuture<>();
                questions.add(question);
                return question;
              });

  private final StoreHealth health = new StoreHealth("test:", env);
  private final SafetyCheck safetyCheck = new SafetyCheck(store, env);
  private final QueuePartitions partitions = new QueuePartitions("q", env);
  private final PartitionCorrection correction =
      new PartitionCorrection(store, env, health, partitions, this::clients, this::corrected);

  private int timerErrors;

  /** The timer of the test, which fails as often as the test says. */
  private final class FailingTimer implements DueTimer {
    @Override
    public long nanoTime() {
      return timer.nanoTime();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      if (timerErrors > 0) {
        timerErrors--;
        throw new OutOfMemoryError("injected");
      }
      return timer.schedule(delayNanos, task);
    }
  }

  /** The errors to come, and those that come after the sessions of the new partitions exist. */
  private int errors;

  private int afterClients;
  private int corrections;

  private List<PartitionClient> clients(List<Partition> those, Runnable onStalePartitionCount) {
    injected();
    return those.stream()
        .map(
            each ->
                new PartitionClient(
                    each,
                    sessions ->
                        new PartitionSession(
                            each, sessions, env, health, "client", onStalePartitionCount),
                    safetyCheck))
        .toList();
  }

  private void injected() {
    if (errors > 0) {
      errors--;
      throw new OutOfMemoryError("injected");
    }
  }

  private void corrected() {
    errors += afterClients;
    afterClients = 0;
    injected();
    corrections++;
  }

  private static List<Partition> scripted(int count) {
    return IntStream.range(0, count).<Partition>mapToObj(i -> new ScriptedPartition()).toList();
  }

  private static OutcomeCallback<Outcome> schedule(PartitionClient partition) {
    OutcomeCallback<Outcome> callback = new OutcomeCallback<>(outcome -> outcome);
    partition
        .session()
        .submit(
            new Operation.Schedule(
                "a", DueTime.of(Due.now()), IfPresent.KEEP, Content.of(new byte[0])),
            null,
            callback);
    return callback;
  }

  @Test
  void close_correctionInFlight_endsAsClientClosed() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> correcting = correction.correct();
    CompletableFuture<@Nullable Void> becoming = correction.become(scripted(2));
    correction.close();
    assertThat(StoreFailures.failure(correcting)).isInstanceOf(ClientClosedException.class);
    assertThat(StoreFailures.failure(becoming)).isInstanceOf(ClientClosedException.class);
    assertThat(StoreFailures.failure(correction.correct()))
        .isInstanceOf(ClientClosedException.class);
    questions.remove().complete(scripted(5));
    assertThat(partitions.all()).hasSize(3);
  }

  @Test
  void correct_storeRefuses_endsWithTheCauseAndAsksAgain() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> first = correction.correct();
    Throwable refusal = new Partition.PartitionException("NOPERM", null);
    questions.remove().completeExceptionally(refusal);
    assertThat(StoreFailures.failure(first)).isSameAs(refusal);
    assertThat(events).singleElement().isInstanceOf(Event.StoreTrouble.class);
    CompletableFuture<@Nullable Void> second = correction.correct();
    timer.advanceMillis(1000);
    questions.remove().complete(scripted(5));
    assertThat(second).isCompleted();
    assertThat(partitions.all()).hasSize(5);
    assertThat(events).last().isInstanceOf(Event.StoreRecovered.class);
  }

  @Test
  void correct_storeDoesNotAnswer_waitsAndReportsTheOutage() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> end = correction.correct();
    for (int i = 0; i < 5; i++) {
      questions.remove().completeExceptionally(new Partition.NotSentException("away", null));
      timer.advanceMillis(1000);
    }
    assertThat(end).isNotDone();
    assertThat(events).singleElement().isInstanceOf(Event.StoreTrouble.class);
  }

  @Test
  void correct_errors_takesTheFailedStepAgain() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> correcting = correction.correct();
    errors = 1;
    questions.remove().complete(scripted(5)); // no memory for the new partitions
    assertThat(correcting).isNotDone();
    timer.advanceMillis(1000);
    assertThat(correcting).isCompleted();
    assertThat(partitions.all()).hasSize(5);
    assertThat(questions).isEmpty();
  }

  @Test
  void correct_errorAlsoWhenThePauseBegins_goesOnWithTheNextCall() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> correcting = correction.correct();
    errors = 1;
    timerErrors = 1;
    questions.remove().complete(scripted(5));
    timer.advanceMillis(60_000);
    assertThat(correcting).isNotDone();
    CompletableFuture<@Nullable Void> unused = correction.become(scripted(5));
    assertThat(correcting).isCompleted();
    assertThat(partitions.all()).hasSize(5);
  }

  @Test
  void correct_errorAfterTheMove_notifiesTheConsumersAgain() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> correcting = correction.correct();
    afterClients = 1;
    questions.remove().complete(scripted(5));
    assertThat(partitions.all()).hasSize(5);
    assertThat(correcting).isNotDone();
    timer.advanceMillis(1000);
    assertThat(correcting).isCompleted();
    assertThat(corrections).isEqualTo(1);
  }

  @Test
  void become_correctionInFlight_isNotDropped() {
    correction.begin(scripted(3));
    CompletableFuture<@Nullable Void> correcting = correction.correct();
    CompletableFuture<@Nullable Void> becoming = correction.become(scripted(5));
    questions.remove().complete(scripted(2));
    assertThat(correcting).isCompleted();
    assertThat(becoming).isCompleted();
    assertThat(partitions.all()).hasSize(5);
    assertThat(questions).isEmpty();
  }

  @Test
  void become_callbacksOfItsEnd_runOnAMarkedThread() {
    correction.begin(scripted(3));
    AtomicBoolean marked = new AtomicBoolean();
    CompletableFuture<?> correcting =
        correction.correct().thenRun(() -> marked.set(BlockingGuard.isMarked()));
    questions.remove().complete(scripted(2));
    assertThat(correcting).isCompleted();
    assertThat(marked).isTrue();
  }

  @Test
  void correct_severalSessionsAreStale_asksOnce() {
    List<Partition> before = scripted(3);
    correction.begin(before);
    for (int i = 0; i < 3; i++) {
      ((ScriptedPartition) before.get(i)).openFailure = stale(2);
      OutcomeCallback<Outcome> unused = schedule(partitions.all().get(i));
    }
    questions.remove().complete(scripted(2));
    timer.advanceMillis(60_000);
    assertThat(questions).isEmpty();
    assertThat(partitions.all()).hasSize(2);
  }

  /**
   * The old sessions of the two partitions end at different times. Before the second old session
   * ends, a new session already reports a different number of partitions.
   */
  @Test
  void correct_newSessionIsStaleBeforeTheOldSessionsEnd_asksAgain() {
    ScriptedPartition first = new ScriptedPartition();
    ScriptedPartition second = new ScriptedPartition();
    correction.begin(List.of(first, second));
    OutcomeCallback<Outcome> moved = schedule(partitions.all().get(0));
    OutcomeCallback<Outcome> stored = schedule(partitions.all().get(1));
    CompletableFuture<@Nullable Void> unused = correction.correct();
    ScriptedPartition wrong = new ScriptedPartition();
    wrong.openFailure = stale(4);
    questions.remove().complete(List.of(wrong));
    first.next().answer().completeExceptionally(stale(4));
    second.next().answer().complete(STORED);
    assertThat(stored).isCompleted();
    timer.advanceMillis(1000);
    ScriptedPartition right = new ScriptedPartition();
    questions.remove().complete(List.of(right));
    right.next().answer().complete(STORED);
    assertThat(moved).isCompleted();
  }

  private static Partition.PartitionCountException stale(int partitions) {
    return new Partition.PartitionCountException(partitions, null);
  }
}
