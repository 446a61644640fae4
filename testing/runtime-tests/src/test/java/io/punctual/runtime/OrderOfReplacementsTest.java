package io.punctual.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.spi.Timetable;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Changes of an id take effect in the order of the calls, also while the client looks up the
 * message that a recurring message replaces.
 */
class OrderOfReplacementsTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final Punctual punctual =
      Punctual.builder().store(proxy(Store.class, this::answerOfStore)).timer(clock).build();
  private final TimedQueue<String> queue = punctual.queue("jobs", Codec.string());

  /** The look-ups without an answer. */
  private final Deque<Runnable> lookUps = new ArrayDeque<>();

  private Object answerOfStore(Object proxy, Method method, Object[] args) throws Throwable {
    Object result = method.invoke(memory, args);
    return method.getName().equals("partitions")
        ? ((CompletionStage<?>) result)
            .thenApply(
                partitions ->
                    ((List<?>) partitions).stream().map(one -> slow((Partition) one)).toList())
        : result;
  }

  private Partition slow(Partition partition) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          if (!method.getName().equals("find")) {
            return method.invoke(partition, args);
          }
          CompletableFuture<Object> answer = new CompletableFuture<>();
          CompletableFuture<?> found = (CompletableFuture<?>) method.invoke(partition, args);
          lookUps.add(() -> answer.complete(found.join()));
          return answer;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  private static Message<String> recurring(String payload) {
    Timetable hourly =
        new Timetable() {
          @Override
          public Optional<Instant> next(Instant occurrence, Instant after) {
            return Optional.of(after.plus(Duration.ofHours(1)));
          }

          @Override
          public Optional<Instant> first(Instant now) {
            return next(now, now);
          }
        };
    return Message.of(payload).id("job").recurring(Recurrence.of("hourly", "0", hourly));
  }

  private CompletableFuture<Scheduled> replace(Message<String> message) {
    return queue.async().schedule(message, IfPresent.REPLACE).toCompletableFuture();
  }

  private void answerLookUps() {
    while (!lookUps.isEmpty()) {
      lookUps.remove().run();
    }
  }

  private String payload() {
    return memory
        .partitions("jobs")
        .thenCompose(partitions -> partitions.get(0).find("job"))
        .toCompletableFuture()
        .join()
        .map(entry -> new String(Objects.requireNonNull(entry.content()).payload(), UTF_8))
        .orElse("none");
  }

  @Test
  void replace_thenAnotherMessageReplacesIt_theLastCallWins() {
    CompletableFuture<?> first = replace(recurring("first"));
    CompletableFuture<?> last =
        replace(Message.of("last").id("job").due(Due.after(Duration.ofHours(1))));
    answerLookUps();
    CompletableFuture.allOf(first, last).join();
    assertThat(payload()).isEqualTo("last");
  }

  @Test
  void replace_thenCancel_isCancelled() {
    CompletableFuture<?> first = replace(recurring("first"));
    CompletableFuture<CancelOutcome> cancelled = queue.async().cancel("job").toCompletableFuture();
    answerLookUps();
    first.join();
    assertThat(cancelled.join()).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(payload()).isEqualTo("none");
  }

  @Test
  void replace_twiceThenCancelAll_takeEffectInThisOrder() {
    CompletableFuture<Scheduled> first = replace(recurring("first"));
    CompletableFuture<Scheduled> second = replace(recurring("second"));
    CompletableFuture<List<CancelOutcome>> cancelled =
        queue.async().cancelAll(List.of("other", "job")).toCompletableFuture();
    CompletableFuture<Scheduled> third = replace(recurring("third"));
    answerLookUps();
    assertThat(first).isCompleted();
    assertThat(second.join().outcome()).isEqualTo(ScheduleOutcome.REPLACED);
    assertThat(cancelled.join()).containsExactly(CancelOutcome.NOT_FOUND, CancelOutcome.CANCELLED);
    assertThat(third.join().outcome()).isEqualTo(ScheduleOutcome.STORED);
    assertThat(payload()).isEqualTo("third");
  }

  @Test
  void replace_lookUpWithoutAnAnswer_failsInTimeAndHoldsNothingUp() {
    CompletableFuture<Scheduled> first = replace(recurring("first"));
    CompletableFuture<Scheduled> last =
        queue.async().schedule(Message.of("last").id("job")).toCompletableFuture();
    clock.advance(Duration.ofMinutes(2));
    assertThat(first)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(StoreUnavailableException.class);
    last.join();
    assertThat(payload()).isEqualTo("last");
  }
}
