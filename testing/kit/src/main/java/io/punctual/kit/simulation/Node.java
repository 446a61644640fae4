package io.punctual.kit.simulation;

import io.punctual.Codec;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.internal.client.Client;
import io.punctual.internal.message.Recurrences;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Callbacks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Events;
import io.punctual.internal.runtime.Interceptors;
import io.punctual.internal.runtime.LastFailure;
import io.punctual.kit.history.HistoryEvent;
import io.punctual.kit.history.Recording;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A process with a real client, whose changes and deliveries are recorded. Not thread-safe. */
final class Node {
  private static final int CLOSING_SECONDS = 10;
  private static final long RETRY = 200 * Chance.MILLI;

  private final SimulationRun world;
  private final SimulatedProcess process;
  private final Transport transport;
  private final Client client;
  private final Recording recording;
  private final DeadCallJudge deadCalls;
  private final List<HistoryEvent> events = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private @Nullable CompletableFuture<?> closing;
  private int unanswered;

  Node(SimulationRun world, String name) {
    this.world = world;
    Chance chance = world.newChance();
    process = new SimulatedProcess(name, world.scheduler(), world.weather(), chance);
    transport =
        new Transport(
            process, world.scheduler(), world.weather(), world.parameters(), world.newChance());
    recording = new Recording(name, world.scheduler()::nanoTime, events::add);
    deadCalls = new DeadCallJudge(world);
    SimulatedStore store =
        new SimulatedStore(world.engine(), transport, world.judge(), world.parameters());
    client = new Client(recording.store(store), environment(chance), Map.of(), () -> {});
  }

  /**
   * Returns the environment of the client. Its wall clock is wrong by up to five hours, because the
   * client must work with any wall clock.
   */
  private Environment environment(Chance chance) {
    Duration wrong = Duration.ofMinutes(chance.between(-300, 300));
    return new Environment(
        process,
        () -> EngineClock.BEGIN.plus(wrong).plusNanos(world.scheduler().nanoTime()),
        chance::random,
        new Events(List.of(recording.observer(), deadCalls::on)),
        Interceptors.none(),
        // The simulation has only one thread, so the dead handlers of manual claims run on it too.
        new Callbacks(Runnable::run),
        1 << 20,
        Duration.ofMillis(chance.between(1_000, 60_000)),
        Environment.DEFAULT_BLOCKING_TIMEOUT,
        Environment.DEFAULT_OPERATION_LIMIT,
        new Backlog(Backlog.defaultLimit()),
        new Recurrences(),
        new LastFailure());
  }

  SimulatedProcess process() {
    return process;
  }

  Transport transport() {
    return transport;
  }

  List<HistoryEvent> events() {
    return events;
  }

  void add(Worker worker) {
    workers.add(worker);
  }

  boolean hasWorkers() {
    return !workers.isEmpty();
  }

  boolean worksOn(String queue) {
    return isRunning() && workers.stream().anyMatch(worker -> worker.queue().equals(queue));
  }

  /** Removes and returns a random worker, for the caller to close. */
  Worker takeWorker(Chance chance) {
    Worker worker = chance.of(workers);
    workers.remove(worker);
    return worker;
  }

  boolean isRunning() {
    return !process.isDead() && closing == null;
  }

  /**
   * Waits for the end of the client; returns false if the close fails or takes more than ten
   * seconds. The thread that closes the store may still run.
   */
  boolean isClosed() {
    try {
      Object unused = Objects.requireNonNull(closing).get(CLOSING_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  int unanswered() {
    return unanswered;
  }

  /**
   * Asks for a queue until the look-up succeeds or the process ends, and passes the queue to {@code
   * use}.
   */
  void withQueue(String name, Consumer<TimedQueue<String>> use) {
    if (isRunning()) {
      client
          .queueAsync(name, Codec.string(), OptionalInt.empty())
          .whenComplete(
              (queue, failure) -> {
                if (queue != null) {
                  use.accept(recording.queue(queue.withDeadHandler(deadCalls)));
                } else {
                  later(RETRY, () -> withQueue(name, use));
                }
              });
    }
  }

  /** Runs {@code work} in this process after a delay. */
  void later(long nanos, Runnable work) {
    world.scheduler().schedule(nanos, process, work);
  }

  /** Counts {@code answer} as unanswered until it completes. */
  <T> void expect(CompletionStage<T> answer) {
    unanswered++;
    answer.whenComplete((value, failure) -> unanswered--);
  }

  void close(Duration grace) {
    if (isRunning()) {
      closing = client.shutdown(grace);
    }
  }

  /** Kills the process. Requests that it has sent may still arrive. */
  void kill() {
    process.kill();
    transport.close();
  }

  @Override
  public String toString() {
    return process.name();
  }
}
