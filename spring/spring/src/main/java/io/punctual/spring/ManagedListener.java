package io.punctual.spring;

import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A listener and its workers. A start creates the workers, and a stop closes them. */
final class ManagedListener implements RegisteredListener {
  private final ListenerSpec spec;
  private final Punctual punctual;
  private final ListenerDefaults defaults;
  private final BooleanSupplier registryRuns;

  /**
   * Guards starts and stops. A start asks the store while it holds this lock, so readers use the
   * volatile fields without the lock.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private volatile List<Started> started = List.of();

  /** The workers of earlier starts, until their last calls have ended. Guarded by the lock. */
  private List<Closing> closing = List.of();

  /** Whether the listener should run while the context runs. */
  private volatile boolean wanted;

  /** A worker, and the shutdown grace period of its options. */
  private record Started(Worker worker, Duration grace) {
    Closing close(@Nullable Duration other) {
      return new Closing(
          worker, worker.closeAsync(other == null ? grace : other).toCompletableFuture());
    }
  }

  private record Closing(Worker worker, CompletableFuture<?> end) {}

  ManagedListener(
      ListenerSpec spec,
      Punctual punctual,
      ListenerDefaults defaults,
      BooleanSupplier registryRuns) {
    this.spec = spec;
    this.punctual = punctual;
    this.defaults = defaults;
    this.registryRuns = registryRuns;
    Boolean explicit = spec.autoStartup();
    this.wanted = explicit == null ? spec.queues().stream().allMatch(this::autoStartup) : explicit;
  }

  @Override
  public String id() {
    return spec.id();
  }

  /** Returns the name of the method, for the texts of exceptions. */
  String description() {
    return spec.description();
  }

  private boolean autoStartup(String queue) {
    return named(queue, () -> defaults.autoStartup(queue));
  }

  @Override
  public List<String> queues() {
    return spec.queues();
  }

  @Override
  public boolean isRunning() {
    return started.stream().anyMatch(each -> !each.worker().isClosed());
  }

  @Override
  public List<Worker> workers() {
    return started.stream().map(Started::worker).toList();
  }

  @Override
  public void start() {
    wanted = true;
    startWorkers();
  }

  /**
   * Starts the workers if the listener and its registry should run. A stop of the registry first
   * changes the state of the registry and then takes the lock, so it also closes workers that start
   * meanwhile.
   */
  void startWorkers() {
    lock.lock();
    try {
      if (wanted && registryRuns.getAsBoolean() && !isRunning()) {
        started = startAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Started> startAll() {
    List<Started> all = new ArrayList<>();
    List<WorkerOptions> options = spec.queues().stream().map(this::options).toList();
    @Nullable WorkerPool pool = pool(options);
    try {
      for (int i = 0; i < options.size(); i++) {
        all.add(startOne(spec.queues().get(i), options.get(i), pool));
      }
      return List.copyOf(all);
    } catch (RuntimeException | Error e) {
      all.forEach(each -> each.worker().close());
      throw e;
    }
  }

  /**
   * Returns a pool that all workers share, because the concurrency is a limit of the listener and
   * not of each queue. Returns null if the listener has a single queue.
   */
  private @Nullable WorkerPool pool(List<WorkerOptions> options) {
    if (options.size() == 1) {
      return null;
    }
    WorkerOptions first = options.get(0);
    List<String> others =
        IntStream.range(1, options.size())
            .filter(i -> !isSamePool(first, options.get(i)))
            .mapToObj(spec.queues()::get)
            .toList();
    if (!others.isEmpty()) {
      throw new ListenerDefinitionException(
          spec.description(),
          "its queues share their calls, but "
              + others
              + " have another concurrency, threads or executor than the queue '"
              + spec.queues().get(0)
              + "'",
          "Give these queues the same options, or listeners of their own");
    }
    return named(spec.queues().get(0), () -> punctual.workerPool(poolOptions(first)));
  }

  private static WorkerOptions poolOptions(WorkerOptions options) {
    WorkerOptions.Builder builder =
        WorkerOptions.builder().concurrency(options.concurrency()).threads(options.threads());
    options.executor().ifPresent(builder::executor);
    options.name().ifPresent(builder::name);
    return ListenerMethod.withExecutor(builder.build());
  }

  private static boolean isSamePool(WorkerOptions one, WorkerOptions other) {
    return one.concurrency() == other.concurrency()
        && one.threads() == other.threads()
        && one.executor().equals(other.executor());
  }

  private Started startOne(String queue, WorkerOptions own, @Nullable WorkerPool pool) {
    return named(
        queue,
        () -> {
          WorkerOptions options = pool == null ? own : own.withPool(pool);
          Worker worker = spec.method().work(punctual.queue(queue, spec.codec()), options);
          return new Started(worker, options.shutdownGrace());
        });
  }

  private WorkerOptions options(String queue) {
    return named(
        queue,
        () -> {
          WorkerOptions.Builder options =
              spec.attributes().apply(defaults.options(queue)).toBuilder().name(spec.id());
          defaults.customize(spec.id(), queue, options);
          return options.build();
        });
  }

  /**
   * Runs an action that uses options of the application. If it throws a RuntimeException other than
   * a {@link PunctualException}, throws an exception that names the listener and the queue.
   */
  private <V> V named(String queue, Supplier<V> action) {
    try {
      return action.get();
    } catch (PunctualException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new ListenerDefinitionException(
          spec.description(),
          "the listener '" + spec.id() + "' can't start on the queue '" + queue + "': " + e,
          "Change the options that the annotation, the properties or a customizer set",
          e);
    }
  }

  @Override
  public void stop() {
    stopAndWait(null);
  }

  @Override
  public void stop(Duration grace) {
    stopAndWait(grace);
  }

  private void stopAndWait(@Nullable Duration grace) {
    wanted = false;
    // This second close waits for the end of the first close. In the worker's own handler, the
    // second close returns immediately.
    closeAll(grace).forEach(each -> each.worker().close());
  }

  /** Stops the workers without waiting; they start again when the context starts again. */
  CompletableFuture<?> stopWorkers() {
    return CompletableFuture.allOf(
        closeAll(null).stream().map(Closing::end).toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Closes the workers; returns all workers that have not ended, including the workers of earlier
   * stops.
   *
   * @param grace the grace period, or null for the grace period of the options
   */
  private List<Closing> closeAll(@Nullable Duration grace) {
    lock.lock();
    try {
      closing =
          Stream.concat(
                  closing.stream().filter(each -> !each.end().isDone()),
                  started.stream().map(each -> each.close(grace)))
              .toList();
      started = List.of();
      return closing;
    } finally {
      lock.unlock();
    }
  }
}
