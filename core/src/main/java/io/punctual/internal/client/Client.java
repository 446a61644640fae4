package io.punctual.internal.client;

import io.punctual.AnnouncedWorker;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Forecast;
import io.punctual.Page;
import io.punctual.PauseWorkerOutcome;
import io.punctual.PunctualException;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.StoreStatus;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerAnnouncement;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import io.punctual.internal.delivery.FailureRules;
import io.punctual.internal.log.Logs;
import io.punctual.internal.message.Checks;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.queue.ClientParts;
import io.punctual.internal.queue.KnownQueues;
import io.punctual.internal.queue.ManyQueuesLookUp;
import io.punctual.internal.queue.QueueListing;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.ApplicableOptions;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.ClientThread;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.worker.Pool;
import io.punctual.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The implementation of {@link io.punctual.Punctual}. It owns the store, and closes it after the
 * {@link ClientParts}. Thread-safe.
 */
public final class Client {
  private static final Logger log = Logs.of(Client.class);

  private final Store store;
  private final Environment env;
  private final Runnable afterClose;
  private final StoreHealth health;
  private final ClientParts parts;
  private final ManyQueuesLookUp lookUp;

  private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> closing =
      new AtomicReference<>();

  /**
   * Creates a client.
   *
   * @param queueDefaults the default options of workers, by queue
   * @param afterClose runs at the end of closing
   */
  public Client(
      Store store, Environment env, Map<String, WorkerOptions> queueDefaults, Runnable afterClose) {
    this.store = store;
    this.env = env;
    this.afterClose = afterClose;
    this.health = new StoreHealth(store.describe(), env);
    this.parts = new ClientParts(store, env, queueDefaults, health);
    this.lookUp = new ManyQueuesLookUp(store, parts);
    if (store instanceof LateStore late) {
      late.reportTo(health);
    }
  }

  /**
   * Returns a view of a queue; waits for the store at the first use of the queue.
   *
   * @param wantedPartitions the number of partitions of a new queue; empty for the store's default
   */
  public <T> TimedQueue<T> queue(String name, Codec<T> codec, OptionalInt wantedPartitions) {
    QueuePartitions partitions =
        env.waiting()
            .await(
                () ->
                    new Awaited.Question<>(
                        KnownQueues.lookUp(name), partitions(name, wantedPartitions)));
    return view(partitions, codec);
  }

  /** The asynchronous form of {@link #queue}. */
  public <T> CompletionStage<TimedQueue<T>> queueAsync(
      String name, Codec<T> codec, OptionalInt wantedPartitions) {
    return env.callbacks()
        .of(partitions(name, wantedPartitions).thenApply(partitions -> view(partitions, codec)));
  }

  private <T> TimedQueue<T> view(QueuePartitions partitions, Codec<T> codec) {
    return new ClientQueue<>(
        new QueueView<>(parts, partitions, codec, null, env.waiting(), FailureRules.defaults()));
  }

  private CompletableFuture<QueuePartitions> partitions(String name, OptionalInt wanted) {
    Checks.queueName(name);
    wanted.ifPresent(count -> Checks.range(count, 1, 1000, "partitions"));
    parts.requireOpen();
    return parts.queues().find(name, wanted);
  }

  /** Lists the names of the queues. */
  public List<String> queues() {
    return env.waiting().await(this::queueList);
  }

  /** The asynchronous form of {@link #queues}. */
  public CompletionStage<List<String>> queuesAsync() {
    return env.callbacks().of(queueList().answer());
  }

  private Awaited<List<String>> queueList() {
    parts.requireOpen();
    return parts.question("The list of queues", store::queues);
  }

  /** Lists the queues whose names begin with a prefix, with their counts. */
  public Page<QueueInfo> queues(QueueQuery query) {
    return env.waiting().await(() -> queuePage(query));
  }

  /** The asynchronous form of {@link #queues(QueueQuery)}. */
  public CompletionStage<Page<QueueInfo>> queuesAsync(QueueQuery query) {
    return env.callbacks().of(queuePage(query).answer());
  }

  private Awaited<Page<QueueInfo>> queuePage(QueueQuery query) {
    parts.requireOpen();
    QueueListing listing = new QueueListing(store, query);
    return parts.question("The list of queues with counts", listing::page);
  }

  /** Finds the messages with an id in many queues. */
  public Map<String, StoredMessage<byte[]>> find(String id, Collection<String> queues) {
    return env.waiting().await(() -> lookUp.find(id, queues));
  }

  /** The asynchronous form of {@link #find}. */
  public CompletionStage<Map<String, StoredMessage<byte[]>>> findAsync(
      String id, Collection<String> queues) {
    return env.callbacks().of(lookUp.find(id, queues).answer());
  }

  /** Returns a forecast for each of many queues. */
  public List<Forecast> forecast(Collection<String> queues, Instant from, Instant to, int buckets) {
    return env.waiting().await(() -> lookUp.forecast(queues, from, to, buckets));
  }

  /** The asynchronous form of {@link #forecast}. */
  public CompletionStage<List<Forecast>> forecastAsync(
      Collection<String> queues, Instant from, Instant to, int buckets) {
    return env.callbacks().of(lookUp.forecast(queues, from, to, buckets).answer());
  }

  /** Lists the workers of all processes. */
  public List<WorkerInfo> workers() {
    return env.waiting().await(this::workerList);
  }

  /** The asynchronous form of {@link #workers}. */
  public CompletionStage<List<WorkerInfo>> workersAsync() {
    return env.callbacks().of(workerList().answer());
  }

  private Awaited<List<WorkerInfo>> workerList() {
    parts.requireOpen();
    return parts.question("The list of workers", parts.workerListing()::all);
  }

  /** Lists a worker that is not a worker of this client. */
  public AnnouncedWorker announce(WorkerAnnouncement worker) {
    parts.requireOpen();
    return parts.workerListing().announce(worker);
  }

  /** Asks a worker of any process to pause or to resume. */
  public PauseWorkerOutcome pauseWorker(String id, boolean paused) {
    return env.waiting().await(() -> workerPause(id, paused));
  }

  /** The asynchronous form of {@link #pauseWorker}. */
  public CompletionStage<PauseWorkerOutcome> pauseWorkerAsync(String id, boolean paused) {
    return env.callbacks().of(workerPause(id, paused).answer());
  }

  private Awaited<PauseWorkerOutcome> workerPause(String id, boolean paused) {
    Objects.requireNonNull(id, "id");
    parts.requireOpen();
    return parts.change(
        "The " + (paused ? "pause" : "resumption") + " of worker '" + id + "'",
        () -> parts.workerListing().pause(id, paused));
  }

  /** Deletes a queue if it holds no messages. */
  public DeleteQueueOutcome deleteQueue(String name) {
    return env.waiting().await(() -> deletion(name));
  }

  /** The asynchronous form of {@link #deleteQueue}. */
  public CompletionStage<DeleteQueueOutcome> deleteQueueAsync(String name) {
    return env.callbacks().of(deletion(name).answer());
  }

  private Awaited<DeleteQueueOutcome> deletion(String name) {
    parts.requireOpen();
    Checks.queueName(name);
    return parts.change("The deletion of queue '" + name + "'", () -> delete(name));
  }

  /**
   * Deletes a queue. A deletion that fails may have deleted the queue nevertheless, so a failure
   * also makes the next look-up ask the store.
   */
  private CompletionStage<DeleteQueueOutcome> delete(String name) {
    return StoreCall.stage(() -> store.delete(name))
        .whenComplete(
            (outcome, failure) -> {
              if (outcome != DeleteQueueOutcome.NOT_EMPTY) {
                parts.queues().deleted(name);
              }
            });
  }

  /** Removes all messages of a queue, then the queue; gives up after some purges. */
  public DeleteQueueOutcome purgeAndDeleteQueue(String name) {
    return new PurgeAndDelete(this, name).run();
  }

  /** The asynchronous form of {@link #purgeAndDeleteQueue}. */
  public CompletionStage<DeleteQueueOutcome> purgeAndDeleteQueueAsync(String name) {
    return new PurgeAndDelete(this, name).start();
  }

  /** Returns the store's URL without secrets. */
  public String describeStore() {
    return store.describe();
  }

  /** Creates a pool for workers of this client. */
  public WorkerPool workerPool(WorkerOptions options) {
    parts.requireOpen();
    ApplicableOptions.check(
        options,
        Set.of("concurrency", "executor", "threads", "name")::contains,
        "A pool of workers",
        "set them on each worker");
    return Pool.create(env, options.name().orElse("pool"), options);
  }

  /** Returns whether the store answers. */
  public StoreStatus status() {
    return health.status();
  }

  /** Returns the time until the store answers. */
  public Duration ping(Duration timeout) {
    parts.requireOpen();
    Waiting waiting = env.waiting(Checks.timeout(timeout, "timeout"));
    long started = System.nanoTime();
    waiting.await(() -> parts.question("The ping of " + store.describe(), store::ping));
    return Duration.ofNanos(System.nanoTime() - started);
  }

  /**
   * Closes the client and waits until everything is closed. Returns at once on the thread of a
   * handler or a callback, because the close itself waits for handlers and callbacks. A null grace
   * period means the grace period of each worker's options.
   */
  public void close(@Nullable Duration grace) {
    boolean mayWait = !BlockingGuard.isMarked() && !parts.consumers().isOnThisThread();
    CompletableFuture<@Nullable Void> end = shutdown(grace);
    if (!mayWait) {
      return;
    }
    try {
      Waiting.forEnd(end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException(
          "Interrupted while closing the client; the close continues in the background", e);
    }
  }

  /**
   * Closes the client; completes when everything is closed. Further calls return the same future.
   */
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> first = closing.compareAndExchange(null, closed);
    if (first != null) {
      return first;
    }
    CompletableFuture<?> unused =
        partsClosed(grace)
            .whenCompleteAsync((nothing, error) -> closeStore(closed), Client::onItsOwnThread);
    return closed;
  }

  /** Closes the parts. The store is closed even if they can't be. */
  private CompletableFuture<@Nullable Void> partsClosed(@Nullable Duration grace) {
    try {
      return parts.close(grace);
    } catch (Throwable e) {
      log.warn("The workers and sessions of the client can't be closed in order", e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private void closeStore(CompletableFuture<@Nullable Void> closed) {
    try {
      closeStore();
      closed.complete(null);
    } catch (Throwable e) {
      closed.completeExceptionally(e);
    }
  }

  private void closeStore() {
    try {
      store.close();
    } finally {
      afterClose.run();
    }
  }

  /**
   * Runs a task on a new thread. The last reply may have arrived on a thread of the store, and the
   * store may wait for that thread when it closes. If no thread can be started, the store is closed
   * on the calling thread.
   */
  private static void onItsOwnThread(Runnable task) {
    try {
      ClientThread.create("punctual-close", task).start();
    } catch (Throwable noThread) {
      log.warn(
          "No thread can be started to close the store; it is closed on this thread", noThread);
      task.run();
    }
  }
}
