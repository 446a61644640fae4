package io.punctual.spring;

import io.punctual.Punctual;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A listener with its workers, which a start creates and a stop closes. */
final class ManagedListener implements RegisteredListener {
  private final ListenerSpec spec;
  private final Punctual punctual;
  private final ListenerDefaults defaults;

  /** Held during starts, which ask the store. Readers use the volatile fields. */
  private final ReentrantLock lock = new ReentrantLock();

  private volatile List<Started> started = List.of();

  /** Whether the listener runs while the context does. */
  private volatile boolean wanted;

  /** A worker with the grace of its options. */
  private record Started(Worker worker, Duration grace) {}

  ManagedListener(ListenerSpec spec, Punctual punctual, ListenerDefaults defaults) {
    this.spec = spec;
    this.punctual = punctual;
    this.defaults = defaults;
    Boolean explicit = spec.autoStartup();
    this.wanted =
        explicit == null ? spec.queues().stream().allMatch(defaults::autoStartup) : explicit;
  }

  @Override
  public String id() {
    return spec.id();
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

  boolean isWanted() {
    return wanted;
  }

  @Override
  public void start() {
    wanted = true;
    startWorkers();
  }

  void startWorkers() {
    lock.lock();
    try {
      if (!isRunning()) {
        started = startAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Started> startAll() {
    List<Started> all = new ArrayList<>();
    @Nullable WorkerPool pool = pool();
    try {
      for (String queue : spec.queues()) {
        all.add(startOne(queue, pool));
      }
      return List.copyOf(all);
    } catch (RuntimeException | Error e) {
      all.forEach(each -> each.worker().close());
      throw e;
    }
  }

  /** The concurrency is that of the listener, however many queues it has. */
  private @Nullable WorkerPool pool() {
    return spec.queues().size() == 1
        ? null
        : punctual.workerPool(options(spec.queues().get(0)).build());
  }

  private Started startOne(String queue, @Nullable WorkerPool pool) {
    WorkerOptions.Builder builder = options(queue);
    WorkerOptions options = (pool == null ? builder : builder.pool(pool)).build();
    Worker worker = spec.method().work(punctual.queue(queue, spec.codec()), options);
    return new Started(worker, options.shutdownGrace());
  }

  private WorkerOptions.Builder options(String queue) {
    WorkerOptions.Builder options =
        spec.attributes().apply(defaults.options(queue)).toBuilder().name(spec.id());
    defaults.customize(spec.id(), queue, options);
    return options;
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
    List<Started> stopping = take();
    CompletableFuture<?> unused = closeAll(stopping, grace);
    // A second close waits for the end of the first, but not in the worker's own handler.
    stopping.forEach(each -> each.worker().close());
  }

  /** Stops the workers without waiting; they start again with the context. */
  CompletableFuture<?> stopWorkers() {
    return closeAll(take(), null);
  }

  private List<Started> take() {
    lock.lock();
    try {
      List<Started> taken = started;
      started = List.of();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private static CompletableFuture<?> closeAll(List<Started> all, @Nullable Duration grace) {
    return CompletableFuture.allOf(
        all.stream()
            .map(
                each ->
                    each.worker()
                        .closeAsync(grace == null ? each.grace() : grace)
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }
}
