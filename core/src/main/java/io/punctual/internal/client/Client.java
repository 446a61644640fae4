package io.punctual.internal.client;

import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Page;
import io.punctual.PunctualException;
import io.punctual.QueueInfo;
import io.punctual.StoreStatus;
import io.punctual.TimedQueue;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import io.punctual.internal.claim.ClaimLines;
import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.delivery.FailureRules;
import io.punctual.internal.message.Checks;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.partition.SafetyCheck;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.ClientThread;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.IdGenerator;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.worker.Pool;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link io.punctual.Punctual}. It owns the store, the sessions with
 * partitions in use, the safety check, and the consumers. Thread-safe.
 */
public final class Client {
  private final Store store;
  private final Environment env;
  private final Map<String, WorkerOptions> queueDefaults;
  private final Runnable afterClose;
  private final StoreHealth health;
  private final IdGenerator ids;
  private final SafetyCheck safetyCheck;
  private final Consumers consumers = new Consumers();
  private final ClaimLines lines = new ClaimLines();
  private final KnownQueues queues;
  private final Presence presence;

  /** The running tasks, in the order of their start. */
  private final Set<ClientDeadLetterTask> tasks =
      Collections.synchronizedSet(new LinkedHashSet<>());

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
    this.queueDefaults = Map.copyOf(queueDefaults);
    this.afterClose = afterClose;
    this.ids = new IdGenerator(env.clock(), env.random());
    this.safetyCheck = new SafetyCheck(store, env);
    this.health = new StoreHealth(store.describe(), env);
    String id = LeaseHolders.newId(env.randomGenerator());
    this.queues = new KnownQueues(this, store, env, health, safetyCheck, consumers, id);
    this.presence = new Presence(store, env, id);
    consumers.watch(presence);
    if (store instanceof LateStore late) {
      late.reportTo(health);
    }
  }

  /**
   * Returns a view of a queue; waits for the store at the first use of the queue.
   *
   * @param wantedPartitions the number of partitions of a new queue
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
        new QueueView<>(this, partitions, codec, null, env.waiting(), FailureRules.defaults(), 0));
  }

  private CompletableFuture<QueuePartitions> partitions(String name, OptionalInt wanted) {
    Checks.queueName(name);
    wanted.ifPresent(count -> Checks.range(count, 1, 1000, "partitions"));
    requireOpen();
    return queues.find(name, wanted);
  }

  /**
   * Sends a request that changes nothing and uses no session.
   *
   * @param what the name of the request, with which the message of an exception begins
   */
  <T> Awaited<T> question(String what, StoreCall<T> question) {
    return new Awaited.Question<>(what, ask(what, question));
  }

  private <T> CompletableFuture<T> ask(String what, StoreCall<T> question) {
    return answer(what, question, failure -> StoreFailures.ofQuestion(what, failure));
  }

  /** Sends a change that uses no session. */
  <T> Awaited<T> change(String what, StoreCall<T> change) {
    return new Awaited.Change<>(
        what, answer(what, change, failure -> StoreFailures.ofChange(what, null, failure)));
  }

  private <T> CompletableFuture<T> answer(
      String what, StoreCall<T> asking, Function<Throwable, RuntimeException> translation) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletionStage<?> unused =
        StoreCall.stage(asking)
            .whenComplete(
                (value, failure) ->
                    BlockingGuard.callbacks(
                        () -> {
                          if (failure == null) {
                            answer.complete(value);
                          } else {
                            answer.completeExceptionally(
                                ifClosed(what, translation.apply(failure)));
                          }
                        }));
    return answer;
  }

  private RuntimeException ifClosed(String what, RuntimeException failure) {
    return isClosed() ? StoreFailures.whenClosed(what, failure) : failure;
  }

  /**
   * Asks the store for a queue's number of partitions; completes when {@code partitions} has that
   * number.
   */
  CompletableFuture<@Nullable Void> correct(QueuePartitions partitions) {
    return queues.correct(partitions);
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
    requireOpen();
    return question("The list of queues", store::queues);
  }

  /** Lists the queues whose names begin with a prefix, with their counts. */
  public Page<QueueInfo> queues(String prefix, Optional<String> cursor, int limit) {
    return env.waiting().await(() -> queuePage(prefix, cursor, limit));
  }

  /** The asynchronous form of {@link #queues(String, Optional, int)}. */
  public CompletionStage<Page<QueueInfo>> queuesAsync(
      String prefix, Optional<String> cursor, int limit) {
    return env.callbacks().of(queuePage(prefix, cursor, limit).answer());
  }

  private Awaited<Page<QueueInfo>> queuePage(String prefix, Optional<String> cursor, int limit) {
    requireOpen();
    QueueListing listing = new QueueListing(store, prefix, cursor, limit);
    return question("The list of queues with counts", listing::page);
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
    requireOpen();
    return question("The list of workers", presence::all);
  }

  /** Deletes a queue that holds no messages. */
  public DeleteQueueOutcome deleteQueue(String name) {
    return env.waiting().await(() -> deletion(name).request());
  }

  /** The asynchronous form of {@link #deleteQueue}. */
  public CompletionStage<DeleteQueueOutcome> deleteQueueAsync(String name) {
    return env.callbacks().of(deletion(name).request().answer());
  }

  /** Removes all messages of a queue, then the queue. */
  public DeleteQueueOutcome purgeAndDeleteQueue(String name) {
    return deletion(name).afterPurges();
  }

  /** The asynchronous form of {@link #purgeAndDeleteQueue}. */
  public CompletionStage<DeleteQueueOutcome> purgeAndDeleteQueueAsync(String name) {
    return deletion(name).afterPurgesAsync();
  }

  private QueueDeletion deletion(String name) {
    return new QueueDeletion(this, store, queues, name);
  }

  /** Returns the store's URL without secrets. */
  public String describeStore() {
    return store.describe();
  }

  /** Creates a pool for workers of this client. */
  public WorkerPool workerPool(WorkerOptions options) {
    requireOpen();
    return Pool.create(env, options.name().orElse("pool"), options);
  }

  /** Returns whether the store answers. */
  public StoreStatus status() {
    return health.status();
  }

  /** Returns the time until the store answers. */
  public Duration ping(Duration timeout) {
    requireOpen();
    Waiting waiting = new Waiting(Checks.timeout(timeout, "timeout"));
    long started = System.nanoTime();
    waiting.await(() -> question("The ping of " + store.describe(), store::ping));
    return Duration.ofNanos(System.nanoTime() - started);
  }

  Environment env() {
    return env;
  }

  WorkerOptions workerDefaults(String queue) {
    return queueDefaults.getOrDefault(queue, WorkerOptions.DEFAULT);
  }

  Presence presence() {
    return presence;
  }

  /** Returns the id of a session for a single call. */
  String sessionId() {
    return LeaseHolders.newId(env.randomGenerator());
  }

  IdGenerator ids() {
    return ids;
  }

  void require(Capability capability) {
    if (!store.capabilities().contains(capability)) {
      throw new UnsupportedOperationException(store.describe() + " does not support " + capability);
    }
  }

  boolean isClosed() {
    return closing.get() != null;
  }

  void requireOpen() {
    if (isClosed()) {
      throw new ClientClosedException(
          "This Punctual is closed; nothing was done. Open a new client");
    }
  }

  /** Adds a task, which ends with the client at the latest. */
  void add(ClientDeadLetterTask task) {
    tasks.add(task);
    if (isClosed()) {
      task.clientClosed();
    }
  }

  void remove(ClientDeadLetterTask task) {
    tasks.remove(task);
  }

  Consumers consumers() {
    return consumers;
  }

  /** Returns the lines of the manual claims. */
  ClaimLines lines() {
    return lines;
  }

  /**
   * Closes the client and waits until everything is closed. Returns at once on the thread of a
   * handler or a callback, because the close itself waits for handlers and callbacks. A null grace
   * period means the grace period of each worker's options.
   */
  public void close(@Nullable Duration grace) {
    boolean mayWait = !BlockingGuard.isMarked() && !consumers.isOnThisThread();
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
    List.copyOf(tasks).forEach(ClientDeadLetterTask::clientClosed);
    CompletableFuture<?> unused =
        CompletableFuture.allOf(consumers.close(grace), lines.close())
            .thenCompose(
                consumersEnded -> CompletableFuture.allOf(presence.close(), closeSessions()))
            .whenCompleteAsync((nothing, error) -> closeStore(closed), Client::onItsOwnThread);
    return closed;
  }

  private CompletableFuture<@Nullable Void> closeSessions() {
    safetyCheck.close();
    return queues.close();
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
   * store may wait for that thread when it closes.
   */
  private static void onItsOwnThread(Runnable task) {
    ClientThread.create("punctual-close", task).start();
  }
}
