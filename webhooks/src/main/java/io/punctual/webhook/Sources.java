package io.punctual.webhook;

import io.punctual.AsyncHandler;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.http.webhook.WebhookSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of a target: one for its queue, or one for each queue of its prefix, which share the
 * permits of the target. Thread-safe.
 */
final class Sources {
  private static final Logger LOG = LoggerFactory.getLogger(Sources.class);

  /** How often the queues of a prefix are looked for. */
  private static final Duration PERIOD = Duration.ofSeconds(5);

  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final Context context;
  private final WebhookSpec spec;
  private final RetryPolicy policy;
  private final AsyncHandler<byte[]> handler;
  private final BooleanSupplier isOn;
  private final Map<String, Source> sources = new LinkedHashMap<>();
  private @Nullable WorkerOptions options;
  private boolean isStopped;
  private boolean isTold;

  private record Source(TimedQueue<byte[]> queue, Worker worker) {}

  /**
   * Creates it without workers.
   *
   * @param isOn whether the target takes messages; it is asked under the lock of the workers, so
   *     that the last answer stays in force
   */
  Sources(
      Context context,
      WebhookSpec spec,
      RetryPolicy policy,
      AsyncHandler<byte[]> handler,
      BooleanSupplier isOn) {
    this.context = context;
    this.spec = spec;
    this.policy = policy;
    this.handler = handler;
    this.isOn = isOn;
  }

  void start() {
    if (spec.isPrefix()) {
      look();
    } else {
      open(spec.queue());
    }
  }

  private WorkerOptions options() {
    WorkerOptions known = options;
    if (known == null) {
      WorkerOptions permits =
          WorkerOptions.builder()
              .concurrency(spec.concurrency())
              .executor(context.executor())
              .build();
      WorkerOptions base =
          spec.isPrefix()
              ? WorkerOptions.DEFAULT.withPool(context.punctual().workerPool(permits))
              : permits;
      known =
          base.toBuilder()
              .name("webhook " + spec.name())
              .retryPolicy(policy)
              .interruptOnLeaseLost(true)
              .build();
      options = known;
    }
    return known;
  }

  private void look() {
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(context.punctual())
            .thenCompose(Punctual::queuesAsync)
            .thenAccept(
                names ->
                    names.stream()
                        .filter(name -> spec.takes(name) && !knows(name))
                        .forEach(this::open))
            .whenComplete((done, failure) -> later(PERIOD, this::look));
  }

  private synchronized boolean knows(String queue) {
    return sources.containsKey(queue);
  }

  private void open(String name) {
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(name)
            .thenCompose(queue -> context.punctual().queueAsync(queue, Codec.bytes()))
            .thenAccept(this::keep)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    if (!spec.isPrefix()) { // The next look opens the queue of a prefix.
                      later(AGAIN, () -> open(name));
                    }
                    told(name, failure);
                  }
                });
  }

  private synchronized void told(String name, Throwable failure) {
    if (!isTold && !isStopped) {
      isTold = true;
      LOG.warn(
          "The webhook {} does not take messages of {} yet; it tries again soon: {}",
          spec.name(),
          name,
          failure.toString());
    }
  }

  private void later(Duration wait, Runnable work) {
    synchronized (this) {
      if (isStopped) {
        return;
      }
    }
    try {
      context.timer().schedule(wait, work);
    } catch (RejectedExecutionException e) {
      // The process ends.
    }
  }

  private synchronized void keep(TimedQueue<byte[]> queue) {
    if (isStopped || sources.containsKey(queue.name())) {
      return;
    }
    Worker worker = queue.workStages(options(), handler);
    if (!isOn.getAsBoolean()) {
      worker.pause();
    }
    sources.put(queue.name(), new Source(queue, worker));
  }

  /** Pauses the workers, or lets them go on. */
  synchronized void refresh() {
    boolean running = isOn.getAsBoolean();
    for (Source source : sources.values()) {
      if (running) {
        source.worker.resume();
      } else {
        source.worker.pause();
      }
    }
  }

  synchronized List<String> queues() {
    return spec.isPrefix() ? List.copyOf(sources.keySet()) : List.of(spec.queue());
  }

  /** Returns the queues; those that were asked before come last. */
  synchronized List<TimedQueue<byte[]>> all() {
    List<TimedQueue<byte[]>> all = new ArrayList<>();
    sources.values().forEach(source -> all.add(source.queue));
    if (all.size() > 1) {
      String first = all.get(0).name();
      Source moved = sources.remove(first);
      if (moved != null) {
        sources.put(first, moved);
      }
    }
    return all;
  }

  CompletionStage<?> stop(Duration grace) {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    synchronized (this) {
      isStopped = true;
      sources
          .values()
          .forEach(source -> ends.add(source.worker.closeAsync(grace).toCompletableFuture()));
      sources.clear();
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
  }
}
