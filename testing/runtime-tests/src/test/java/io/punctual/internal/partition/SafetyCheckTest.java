package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.AudibleLog;
import io.punctual.DeleteQueueOutcome;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.SafetyInterval;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.PartitionSession;
import io.punctual.internal.session.ScriptedPartition;
import io.punctual.kit.log.CapturedLog;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafetyCheckTest {
  private final StepTimer timer = new StepTimer();
  private final Environment env = TestEnvironment.of(timer);

  @Test
  void check_neverAnswered_isLoggedAndAskedAgain() {
    CheckedStore store = new CheckedStore();
    addPartition(store);
    store.isSilent = true;
    assertThat(logOf(70).lines().filter(line -> line.contains("test:checked")))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("WARN", "no answer within 60000 ms"));
    store.isSilent = false;
    int before = store.questions;
    assertThat(logOf(120)).contains("works again");
    assertThat(store.questions).isGreaterThan(before + 50);
  }

  private PartitionClient addPartition(CheckedStore store) {
    return addPartition(store, env);
  }

  private static PartitionClient addPartition(CheckedStore store, Environment env) {
    SafetyCheck check = new SafetyCheck(store, env);
    ScriptedPartition partition = new ScriptedPartition();
    StoreHealth health = new StoreHealth(store.describe(), env);
    PartitionClient client =
        new PartitionClient(
            partition,
            sessions -> new PartitionSession(partition, sessions, env, health, "client", () -> {}),
            check);
    check.add(client);
    return client;
  }

  @Test
  void check_errorWhenTheNextIsPlanned_theNextAnswerToAClaimPlansIt() {
    AtomicBoolean fails = new AtomicBoolean();
    DueTimer failing =
        new DueTimer() {
          @Override
          public long nanoTime() {
            return timer.nanoTime();
          }

          @Override
          public Timeout schedule(long delayNanos, Runnable task) {
            if (fails.get()) {
              throw new OutOfMemoryError("injected");
            }
            return timer.schedule(delayNanos, task);
          }
        };
    CheckedStore store = new CheckedStore();
    PartitionClient client = addPartition(store, TestEnvironment.of(failing));
    fails.set(true);
    assertThatThrownBy(() -> timer.advanceMillis(5000)).isInstanceOf(OutOfMemoryError.class);
    fails.set(false);
    client.claimed(new Reply.Claimed(List.of(), List.of(), 1, 0, 0));
    timer.advanceMillis(5000);
    assertThat(store.questions).isEqualTo(5);
  }

  @Test
  void check_failsAgainAndAgain_isLoggedOnceAndItsEndOnce() {
    CheckedStore store = new CheckedStore();
    addPartition(store);
    store.failure = new Partition.PartitionException("CROSSSLOT", null);
    String failing = logOf(5);
    assertThat(failing.lines().filter(line -> line.contains("test:checked")))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("WARN", "CROSSSLOT", "late"));
    store.failure = null;
    assertThat(logOf(5).lines().filter(line -> line.contains("test:checked"))).hasSizeLessThan(2);
    store.failure = new Partition.PartitionException("CROSSSLOT", null);
    assertThat(logOf(1)).contains("WARN");
  }

  @ParameterizedTest
  @ValueSource(strings = {"throw", "error", "PT0S", "PT-1S"})
  void interval_notUsable_isOneSecond_andLoggedOnce(String interval) {
    CheckedStore store = new CheckedStore();
    store.interval =
        () -> {
          if (interval.equals("throw")) {
            throw new IllegalStateException("not yet");
          }
          if (interval.equals("error")) {
            throw new AssertionError("not yet");
          }
          return Duration.parse(interval);
        };
    String log =
        logOf(
            () -> {
              addPartition(store);
              timer.advanceMillis(10_000);
            });
    assertThat(store.questions).isBetween(9, 10);
    assertThat(log.lines().filter(line -> line.contains("no usable interval")))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("WARN", "test:checked"));
  }

  @ParameterizedTest
  @CsvSource({"PT0.000001S, 1", "PT2562048H, 2592000000"})
  void interval_tooShortOrTooLong_isBounded(String interval, long millis) {
    CheckedStore store = new CheckedStore();
    store.interval = () -> Duration.parse(interval);
    SafetyInterval bounded = new SafetyInterval(store);
    assertThat(Duration.ofNanos(bounded.nanos(1)).toMillis()).isEqualTo(millis);
  }

  private String logOf(int seconds) {
    return logOf(() -> timer.advanceMillis(seconds * 1000L));
  }

  private static String logOf(Runnable action) {
    try (CapturedLog log = new CapturedLog();
        AudibleLog check = new AudibleLog(SafetyCheck.class.getName());
        AudibleLog interval = new AudibleLog(SafetyInterval.class.getName())) {
      action.run();
      return log.text();
    }
  }

  private static final class CheckedStore implements Store {
    @Nullable RuntimeException failure;
    Supplier<Duration> interval = () -> Duration.ofSeconds(1);
    boolean isSilent;
    int questions;

    @Override
    public String describe() {
      return "test:checked";
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of();
    }

    @Override
    public CompletionStage<List<Partition>> partitions(String queue) {
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<List<String>> queues() {
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<DeleteQueueOutcome> delete(String queue) {
      return CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_FOUND);
    }

    @Override
    public CompletionStage<long[]> untilNext(List<Partition> partitions) {
      questions++;
      if (isSilent) {
        return new CompletableFuture<>();
      }
      return failure == null
          ? CompletableFuture.completedFuture(new long[partitions.size()])
          : CompletableFuture.failedFuture(failure);
    }

    @Override
    public Duration safetyCheckInterval(int partitions) {
      return interval.get();
    }

    @Override
    public void close() {}
  }
}
