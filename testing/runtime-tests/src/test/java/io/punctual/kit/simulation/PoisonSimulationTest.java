package io.punctual.kit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.internal.client.Client;
import io.punctual.internal.message.Recurrences;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Callbacks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Events;
import io.punctual.internal.runtime.Interceptors;
import io.punctual.internal.runtime.LastFailure;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Store;
import io.punctual.spi.WakeUp;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A message ends each process that receives it, beside 16 bystanders: only this message becomes a
 * dead letter. Each process is a client on a memory store, and each call takes a millisecond each
 * way.
 */
class PoisonSimulationTest {
  private static final int BYSTANDERS = 16;
  private static final long LATENCY = Chance.MILLI;
  private static final long RESTART = Chance.SECOND;
  private static final Duration LEASE = Duration.ofSeconds(5);

  private enum Consumer {
    WORKER,
    PREFETCHING_WORKER,
    BATCH_WORKER,
    CLAIMS
  }

  /** Two attempts leave one attempt alone, so an accident of timing can bury a bystander. */
  private static final List<Integer> MAX_ATTEMPTS = List.of(3, 5);

  static Stream<Arguments> worlds() {
    List<Arguments> worlds = new ArrayList<>();
    for (Consumer consumer : Consumer.values()) {
      for (int processes : new int[] {1, 3}) {
        for (int maxAttempts : MAX_ATTEMPTS) {
          for (int partitions : new int[] {1, 8}) {
            worlds.add(Arguments.of(consumer, processes, maxAttempts, partitions));
          }
        }
      }
    }
    return worlds.stream();
  }

  @ParameterizedTest
  @MethodSource("worlds")
  void messageEndsItsProcesses_bystandersAreHandledAndOnlyItIsBuried(
      Consumer consumer, int processes, int maxAttempts, int partitions) {
    for (long killsAfter : new long[] {0, 300 * Chance.MILLI, 4 * Chance.SECOND}) {
      for (int seed = 0; seed < 2; seed++) {
        World world = new World(consumer, maxAttempts, partitions, killsAfter, seed);
        world.run(processes);
        assertThat(world.dead).as("dead letters, seed %s", seed).containsExactly("poison");
        assertThat(world.done).as("handled, seed %s", seed).hasSize(BYSTANDERS);
      }
    }
  }

  private static final class World {
    final Consumer consumer;
    final int maxAttempts;
    final long killsAfter;
    final SplittableRandom seeds;
    final Scheduler scheduler;
    final MemoryStore store;
    final Set<String> done = new HashSet<>();
    List<String> dead = new ArrayList<>();

    World(Consumer consumer, int maxAttempts, int partitions, long killsAfter, int seed) {
      this.consumer = consumer;
      this.maxAttempts = maxAttempts;
      this.killsAfter = killsAfter;
      this.seeds = new SplittableRandom(seed);
      this.scheduler = new Scheduler(seeds.split());
      this.store = MemoryStore.builder().clock(this::now).partitions(partitions).build();
    }

    Instant now() {
      return EngineClock.BEGIN.plusNanos(scheduler.nanoTime());
    }

    void run(int processes) {
      try (Punctual administrator = Punctual.builder().store(store).build()) {
        TimedQueue<String> queue = administrator.queue("q", Codec.string());
        queue.schedule(Message.of("x").id("poison").dueIn(Duration.ZERO));
        IntStream.range(0, BYSTANDERS)
            .forEach(i -> queue.schedule(Message.of("x").id("b" + i).dueIn(Duration.ZERO)));
        IntStream.range(0, processes).forEach(i -> new Member(this));
        for (int i = 0; i < 600 && queue.counts().pending() > 0; i++) {
          scheduler.run(Chance.SECOND);
        }
        queue.stream(MessageQuery.of(State.DEAD)).forEach(each -> dead.add(each.id()));
      }
    }
  }

  /** A process. After its death, another process starts. */
  private static final class Member {
    private final World world;
    private final SimulatedProcess process;
    private final Chance chance;
    private final TimedQueue<String> queue;

    Member(World world) {
      this.world = world;
      this.chance = new Chance(world.seeds.split());
      FaultSchedule fair = new FaultSchedule();
      fair.clear();
      this.process = new SimulatedProcess("p", world.scheduler, fair, chance);
      Environment environment =
          new Environment(
              process,
              world::now,
              chance::random,
              new Events(List.of()),
              Interceptors.none(),
              new Callbacks(Runnable::run),
              1 << 20,
              Environment.DEFAULT_OPERATION_TIMEOUT,
              Environment.DEFAULT_BLOCKING_TIMEOUT,
              Environment.DEFAULT_OPERATION_LIMIT,
              new Backlog(Backlog.defaultLimit()),
              new Recurrences(),
              new LastFailure());
      Client client =
          new Client((Store) slow(Store.class, world.store), environment, Map.of(), () -> {});
      this.queue = client.queue("q", Codec.string(), OptionalInt.empty());
      start();
    }

    private void start() {
      WorkerOptions.Builder options =
          WorkerOptions.builder()
              .concurrency(8)
              .lease(LEASE)
              .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(world.maxAttempts))
              .executor(process);
      switch (world.consumer) {
        case WORKER -> queue.workStages(options.build(), this::handle);
        case PREFETCHING_WORKER -> queue.workStages(options.prefetch(10).build(), this::handle);
        case BATCH_WORKER ->
            queue.workBatches(options.concurrency(2).batchSize(8).build(), this::handleAll);
        case CLAIMS -> claim();
      }
    }

    private CompletionStage<?> handle(Delivery<String> delivery) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      if (delivery.id().equals("poison")) {
        if (world.killsAfter == 0) {
          die();
        } else {
          world.scheduler.schedule(world.killsAfter, process, this::die);
        }
      } else {
        long time = chance.between(10 * Chance.MILLI, 6 * Chance.SECOND);
        world.scheduler.schedule(
            time,
            process,
            () -> {
              world.done.add(delivery.id());
              end.complete(null);
            });
      }
      return end;
    }

    private void handleAll(List<Delivery<String>> batch) {
      if (batch.stream().anyMatch(each -> each.id().equals("poison"))) {
        die();
      } else {
        batch.forEach(each -> world.done.add(each.id()));
      }
    }

    private void claim() {
      queue
          .async()
          .claim(
              5, ClaimOptions.DEFAULT.lease(LEASE.multipliedBy(2)).maxWait(Duration.ofSeconds(10)))
          .thenAccept(
              deliveries -> {
                for (Delivery<String> each : deliveries) {
                  handle(each).thenRun(each.async()::ack);
                }
                if (!process.isDead()) {
                  world.scheduler.schedule(10 * Chance.MILLI, process, this::claim);
                }
              });
    }

    private void die() {
      process.kill();
      world.scheduler.schedule(RESTART, () -> new Member(world));
    }

    private Object slow(Class<?> type, Object target) {
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type, Target.class}, new Slow(target));
    }

    /** Delays the calls of a store, and drops those of a dead process. */
    private final class Slow implements InvocationHandler {
      private final Object target;

      Slow(Object target) {
        this.target = target;
      }

      @Override
      public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Target.class) {
          return target;
        }
        Object[] passed = arguments == null ? new Object[0] : arguments.clone();
        for (int i = 0; i < passed.length; i++) {
          passed[i] = unwrapped(passed[i]);
        }
        if (!CompletionStage.class.isAssignableFrom(method.getReturnType())
            || method.getName().equals("partitions")) {
          return wrapped(call(method, passed));
        }
        CompletableFuture<Object> answer = new CompletableFuture<>();
        if (!process.isDead()) {
          world.scheduler.schedule(LATENCY, () -> arrive(method, passed, answer));
        }
        return answer;
      }

      private void arrive(Method method, Object[] passed, CompletableFuture<Object> answer) {
        try {
          ((CompletionStage<?>) call(method, passed))
              .whenComplete(
                  (value, failure) ->
                      world.scheduler.schedule(
                          LATENCY,
                          process,
                          () -> {
                            if (failure == null) {
                              answer.complete(value);
                            } else {
                              answer.completeExceptionally(failure);
                            }
                          }));
        } catch (Throwable e) {
          throw new IllegalStateException(e);
        }
      }

      private Object call(Method method, Object[] passed) throws Throwable {
        try {
          return method.invoke(target, passed);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }

      private Object unwrapped(Object argument) {
        if (argument instanceof List<?> list) {
          return list.stream().map(this::unwrapped).toList();
        }
        if (argument instanceof WakeUp wakeUp) {
          return (WakeUp)
              until -> world.scheduler.schedule(LATENCY, process, () -> wakeUp.wakeUp(until));
        }
        return argument instanceof Target slow ? slow.target() : argument;
      }

      private Object wrapped(Object result) {
        if (result instanceof Registration || !(result instanceof CompletionStage<?> stage)) {
          return result;
        }
        return stage.thenApply(
            value -> ((List<?>) value).stream().map(each -> slow(Partition.class, each)).toList());
      }
    }
  }

  /** The real object behind a proxy. */
  interface Target {
    Object target();
  }
}
