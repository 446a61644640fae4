package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.collection.DelayedElements;
import io.punctual.collection.DueQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.internal.runtime.ApplicableOptions;
import io.punctual.memory.MemoryStore;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Delayed;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An option without an effect is refused, and the exception says what to do. */
class InapplicableOptionsTest {
  private static final Duration LINGER = Duration.ofMillis(1);
  private static final WorkerOptions BATCHES = options().batchSize(2).batchLinger(LINGER).build();
  private static final ClaimOptions LEASED = ClaimOptions.DEFAULT.lease(Duration.ofSeconds(1));

  private static WorkerOptions.Builder options() {
    return WorkerOptions.builder();
  }

  private static Arguments call(
      String name, BiConsumer<Punctual, TimedQueue<byte[]>> call, String... texts) {
    return Arguments.of(name, call, texts);
  }

  private static Arguments build(String name, Consumer<PunctualBuilder> call, String... texts) {
    return call(
        name,
        (any, queue) -> {
          PunctualBuilder builder = Punctual.builder();
          call.accept(builder);
          builder.build().close();
        },
        texts);
  }

  static Stream<Arguments> calls() {
    return Stream.of(
        call("work", (any, queue) -> queue.work(BATCHES, one -> {}), "batchSize", "workBatches"),
        call(
            "workStages",
            (any, queue) -> queue.workStages(BATCHES, one -> one.async().ack()),
            "[batchLinger, batchSize]",
            "workBatches"),
        call(
            "pool with concurrency",
            (any, queue) -> options().pool(pool(any)).concurrency(2).build(),
            "pool",
            "Punctual.workerPool"),
        call(
            "pool with executor",
            (any, queue) -> options().pool(pool(any)).executor(Runnable::run).build(),
            "executor"),
        call(
            "executor with threads",
            (any, queue) ->
                queue.workBatches(
                    options()
                        .executor(Runnable::run)
                        .threads(WorkerOptions.Threads.PLATFORM)
                        .build(),
                    all -> {}),
            "executor"),
        call(
            "pool's own lease",
            (any, queue) -> any.workerPool(options().lease(Duration.ofMinutes(1)).build()),
            "[lease]",
            "on each worker"),
        call(
            "claim with prefetch",
            (any, queue) -> queue.claim(1, ClaimOptions.DEFAULT.prefetch(1)),
            "prefetch",
            "call take"),
        call(
            "claim with prefetch, asynchronous",
            (any, queue) -> queue.async().claim(1, ClaimOptions.DEFAULT.prefetch(1)),
            "prefetch"),
        call("take with lease", (any, queue) -> queue.take(1, LEASED), "lease", "call claim"),
        call(
            "take with lease, asynchronous",
            (any, queue) -> queue.async().take(1, LEASED),
            "lease"),
        call("view with lease", (any, queue) -> DueQueue.of(queue, LEASED), "leave lease"),
        call(
            "view with claimant",
            (any, queue) -> DueQueue.of(queue, ClaimOptions.DEFAULT.claimant("c")),
            "claimant"),
        call(
            "view with wait",
            (any, queue) ->
                DelayedElements.of(
                    any.queue("delayed", new NoElements()),
                    ClaimOptions.DEFAULT.maxWait(Duration.ofSeconds(1))),
            "maxWait"),
        call(
            "query of a limited filter",
            (any, queue) -> DeadLetterQuery.of(DeadLetterFilter.ALL.withLimit(3)),
            "set the query's"),
        build(
            "startup with an open store",
            builder -> builder.store(MemoryStore.builder().build()).startup(Startup.WAIT),
            "startup",
            "store(String, Supplier)"),
        build(
            "startup's time-out without a wait",
            builder -> builder.url("memory:").startupTimeout(Duration.ofSeconds(1)),
            "startupTimeout",
            "Startup.WAIT"));
  }

  private static WorkerPool pool(Punctual punctual) {
    return punctual.workerPool(WorkerOptions.DEFAULT);
  }

  private static final class NoElements implements Codec<Delayed> {
    @Override
    public byte[] encode(Delayed payload) {
      return new byte[0];
    }

    @Override
    public Delayed decode(byte[] bytes) {
      throw new UnsupportedOperationException();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  void optionWithoutEffect_isRefused_andTheRemedyIsTold(
      String name, BiConsumer<Punctual, TimedQueue<byte[]>> call, String[] texts) {
    try (Punctual punctual = Punctual.open("memory:")) {
      assertThatThrownBy(() -> call.accept(punctual, punctual.queue("orders", Codec.bytes())))
          .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class)
          .hasMessageContainingAll(texts);
    }
  }

  /** Options that are defaults hold for any worker of the queue. */
  @Test
  void work_defaultsWithBatches_starts() {
    try (Punctual punctual =
        Punctual.builder().url("memory:").queueDefaults("orders", BATCHES).build()) {
      TimedQueue<byte[]> queue = punctual.queue("orders", Codec.bytes());
      assertThatCode(() -> queue.work(one -> {}).close()).doesNotThrowAnyException();
    }
  }

  @Test
  void withPool_optionsWithAnExecutor_replacesThem() {
    try (Punctual punctual = Punctual.open("memory:")) {
      WorkerOptions own = options().executor(Runnable::run).concurrency(3).name("mine").build();
      WorkerOptions shared = own.withPool(pool(punctual));
      assertThat(shared.executor()).isEmpty();
      assertThat(shared.concurrency()).isEqualTo(WorkerOptions.DEFAULT.concurrency());
      assertThat(shared.name()).hasValue("mine");
    }
  }

  @Test
  void names_areTheOptionsOfAWorker() {
    assertThat(ApplicableOptions.names())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(WorkerOptions.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 0)
                .map(method -> method.getName())
                .filter(name -> !name.equals("toBuilder"))
                .toList());
  }
}
