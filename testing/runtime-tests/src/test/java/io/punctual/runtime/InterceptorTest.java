package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.RetryPolicy;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests interceptors: user code that runs around schedules and handlers. */
class InterceptorTest {
  private final ManualWorld world = new ManualWorld();
  private final List<String> calls = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  /** Records each call, and adds a header with its own name. */
  private final class Noting implements Interceptor {
    private final String name;

    Noting(String name) {
      this.name = name;
    }

    @Override
    public Around schedule(
        String queue, String id, Message<?> message, Map<String, String> headers) {
      calls.add(name + " schedules " + queue + " " + id);
      headers.put(name, "yes");
      return new Ending("schedule");
    }

    @Override
    public Around handle(Worker worker, List<? extends Delivery<?>> deliveries) {
      calls.add(name + " handles " + deliveries.stream().map(Delivery::id).toList());
      return new Ending("handler");
    }

    private final class Ending implements Around {
      private final String of;

      Ending(String of) {
        this.of = of;
      }

      @Override
      public void returned() {
        calls.add(name + " " + of + " returned");
      }

      @Override
      public void ended(Duration duration, @Nullable Throwable failure) {
        calls.add(
            name
                + " "
                + of
                + " ended after "
                + duration.toMillis()
                + (failure == null ? "" : ": " + failure.getMessage()));
      }
    }
  }

  private TimedQueue<String> queue(Interceptor... interceptors) {
    PunctualBuilder builder = Punctual.builder().store(world.store).timer(world.clock);
    for (Interceptor each : interceptors) {
      builder.interceptor(each);
    }
    return builder.build().queue("orders", Codec.string());
  }

  private static WorkerOptions inline() {
    return ManualWorld.inline().build();
  }

  @Test
  void schedule_twoInterceptors_nestAndAddHeaders() {
    TimedQueue<String> queue = queue(new Noting("a"), new Noting("b"));
    Scheduled scheduled = queue.schedule(Message.of("m").header("own", "x"));
    assertThat(queue.find(scheduled.id()).orElseThrow().headers())
        .isEqualTo(Map.of("own", "x", "a", "yes", "b", "yes"));
    assertThat(calls)
        .startsWith("a schedules orders " + scheduled.id(), "b schedules orders " + scheduled.id())
        .containsSubsequence("b schedule ended after 0", "a schedule ended after 0")
        .containsSubsequence("b schedule returned", "a schedule returned")
        .hasSize(6);
  }

  @Test
  void handler_ends_interceptorsSeeTheDelivery() {
    TimedQueue<String> queue = queue(new Noting("a"));
    queue.schedule(Message.of("m").id("m"));
    calls.clear();
    queue.work(inline(), delivery -> calls.add("handler " + delivery.headers()));
    world.advance(Duration.ofSeconds(1));
    assertThat(calls)
        .containsExactly(
            "a handles [m]", "handler {a=yes}", "a handler returned", "a handler ended after 0");
  }

  @Test
  void handler_throws_interceptorsSeeTheFailure() {
    TimedQueue<String> queue = queue(new Noting("a"));
    queue.schedule(Message.of("m").id("m"));
    calls.clear();
    queue.work(
        ManualWorld.inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1))).build(),
        delivery -> {
          throw new IllegalStateException("expected");
        });
    world.advance(Duration.ofMillis(10));
    assertThat(calls)
        .containsExactly(
            "a handles [m]", "a handler returned", "a handler ended after 0: expected");
  }

  @Test
  void asyncHandler_endsWhenItsStageEnds() {
    TimedQueue<String> queue = queue(new Noting("a"));
    queue.schedule(Message.of("m").id("m"));
    calls.clear();
    CompletableFuture<String> stage = new CompletableFuture<>();
    queue.workStages(inline(), delivery -> stage);
    world.advance(Duration.ofMillis(10));
    assertThat(calls).containsExactly("a handles [m]", "a handler returned");
    world.advance(Duration.ofSeconds(5));
    stage.completeExceptionally(new IllegalStateException("expected"));
    assertThat(calls).last().isEqualTo("a handler ended after 5010: expected");
  }

  /**
   * Starts a worker of a client with an interceptor. Records the calls of the interceptor, and the
   * events of the handler and of the settlement, in their order.
   */
  private Worker worksAsync(WorkerOptions.Builder options, CompletionStage<?> stage) {
    Punctual punctual =
        Punctual.builder()
            .store(world.store)
            .timer(world.clock)
            .interceptor(new Noting("a"))
            .observer(this::note)
            .build();
    TimedQueue<String> queue = punctual.queue("orders", Codec.string());
    queue.schedule(Message.of("m").id("m"));
    calls.clear();
    return queue.workStages(options.build(), delivery -> stage);
  }

  private void note(Event event) {
    if (event instanceof Event.HandlerEnded
        || event instanceof Event.MessageAcked
        || event instanceof Event.MessageRetried) {
      calls.add(event.getClass().getSimpleName());
    }
  }

  @Test
  void asyncHandler_endsLater_settlementComesAfterTheNotices() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    worksAsync(ManualWorld.inline(), stage);
    world.advance(Duration.ofMillis(10));
    stage.complete("done");
    assertThat(calls)
        .containsExactly(
            "a handles [m]",
            "a handler returned",
            "a handler ended after 10",
            "HandlerEnded",
            "MessageAcked");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void asyncHandler_exceedsItsTimeOut_endIsSeenBeforeTheSettlement(boolean passesOnTheCancel) {
    CompletableFuture<String> future = new CompletableFuture<>();
    CompletionStage<String> stage = passesOnTheCancel ? future : future.minimalCompletionStage();
    worksAsync(
        ManualWorld.inline()
            .handlerTimeout(Duration.ofSeconds(5))
            .retryPolicy(RetryPolicy.fixed(Duration.ofMinutes(1))),
        stage);
    world.advance(Duration.ofMillis(5_010));
    assertThat(calls.subList(2, calls.size()))
        .satisfiesExactly(
            end -> assertThat(end).startsWith("a handler ended after 5000: ").contains("5"),
            event -> assertThat(event).isEqualTo("HandlerEnded"),
            event -> assertThat(event).isEqualTo("MessageRetried"));
    future.complete("too late");
    assertThat(calls).hasSize(5);
  }

  @Test
  void asyncHandler_ignoresTheEndOfTheGrace_endIsSeenBeforeTheWorkerIsClosed() {
    CompletionStage<String> stage = new CompletableFuture<String>().minimalCompletionStage();
    Worker worker = worksAsync(ManualWorld.inline(), stage);
    worker.close(Duration.ZERO);
    assertThat(calls.subList(2, calls.size()))
        .containsExactly("a handler ended after 0: The worker was closed", "HandlerEnded");
  }

  @Test
  void batchHandler_interceptorsSeeAllDeliveries() {
    TimedQueue<String> queue = queue(new Noting("a"));
    queue.scheduleAll(List.of(Message.of("1").id("1"), Message.of("2").id("2")));
    calls.clear();
    queue.workBatches(inline(), deliveries -> {});
    world.advance(Duration.ofMillis(10));
    assertThat(calls)
        .containsExactly("a handles [1, 2]", "a handler returned", "a handler ended after 0");
  }

  @Test
  void interceptor_throwsEverywhere_nothingIsLost() {
    Interceptor faulty =
        new Interceptor() {
          @Override
          public Around schedule(
              String queue, String id, Message<?> message, Map<String, String> headers) {
            return faultyEnd();
          }

          @Override
          public Around handle(Worker worker, List<? extends Delivery<?>> deliveries) {
            throw new IllegalStateException("expected");
          }
        };
    TimedQueue<String> queue = queue(faulty, new Noting("a"));
    queue.schedule(Message.of("m").id("m"));
    List<String> handled = new ArrayList<>();
    queue.work(inline(), delivery -> handled.add(delivery.payload()));
    world.advance(Duration.ofSeconds(1));
    assertThat(handled).containsExactly("m");
    assertThat(queue.counts().leased()).isZero();
    assertThat(calls).contains("a schedule ended after 0", "a handler ended after 0");
  }

  private static Interceptor.Around faultyEnd() {
    return new Interceptor.Around() {
      @Override
      public void returned() {
        throw new IllegalStateException("expected");
      }

      @Override
      public void ended(Duration duration, @Nullable Throwable failure) {
        throw new AssertionError("expected");
      }
    };
  }

  @Test
  void scheduleAll_oneMessageIsNotValid_everySchedulesEndIsSeen() {
    TimedQueue<String> queue = queue(new Noting("a"));
    List<Message<String>> messages = List.of(Message.of("1").id("1"), Message.of("\udc00").id("2"));
    assertThatThrownBy(() -> queue.scheduleAll(messages))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(calls).filteredOn(call -> call.contains("returned")).hasSize(2);
    assertThat(calls)
        .filteredOn(call -> call.contains("ended"))
        .hasSize(2)
        .allMatch(call -> call.contains("surrogate"));
    assertThat(queue.counts().ready()).isZero();
  }
}
