package io.punctual;

import io.punctual.internal.client.Client;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * A client of one store. Schedule a message with a due time, and a worker receives the message when
 * it is due, never early. No other worker receives the message while the lease of this worker
 * lasts. If the worker dies, a different worker receives the message again.
 *
 * <pre>{@code
 * try (Punctual punctual = Punctual.open("memory:")) {
 *   TimedQueue<String> reminders = punctual.queue("reminders", Codec.string());
 *   reminders.schedule("Stand up", Duration.ofMinutes(30));
 *   reminders.work(delivery -> System.out.println(delivery.payload())).await();
 * }
 * }</pre>
 *
 * <p>One client for each process and store is enough. Safe for use by many threads; all queues and
 * workers of a client share its timer and connections.
 */
public final class Punctual implements AutoCloseable {
  private final Client client;

  Punctual(Client client) {
    this.client = client;
  }

  /**
   * Opens the store at a URL, such as {@code memory:} or {@code redis://localhost:6379}.
   *
   * @throws IllegalArgumentException if the URL is not valid, no store on the class path has the
   *     scheme, or the store does not know an option; the message lists the known schemes or
   *     options. The driver of a {@code jdbc:} URL may ignore unknown options
   * @throws PunctualException if the store can't be opened; the message says what to do
   */
  public static Punctual open(String url) {
    return builder().url(url).build();
  }

  /**
   * Returns a builder, which requires a {@link PunctualBuilder#url} or a {@link
   * PunctualBuilder#store}.
   */
  public static PunctualBuilder builder() {
    return new PunctualBuilder();
  }

  /**
   * Returns the queue of this name. Further calls return other views of the same queue. The codec
   * must decode the payloads of all producers.
   *
   * @param name see {@link Limits#QUEUE_NAME_LENGTH}
   * @throws StoreUnavailableException if the look-up of the queue gets no reply
   * @throws StoreRefusedException if the store refuses the look-up of the queue
   * @throws ClientClosedException if this client is closed
   */
  public <T> TimedQueue<T> queue(String name, Codec<T> codec) {
    return client.queue(name, Objects.requireNonNull(codec, "codec"), OptionalInt.empty());
  }

  /**
   * Returns the queue of this name, like {@link #queue(String, Codec)}. If the queue does not exist
   * yet, it gets this number of partitions. The number of partitions of an existing queue does not
   * change: see {@link TimedQueue#partitions}.
   *
   * @param partitions the number of partitions, 1 to 1000. In a cluster of Redis servers, each
   *     partition is stored on one server, so that the queue can use the throughput of several
   *     servers. A store with a fixed number of partitions ignores this number
   */
  public <T> TimedQueue<T> queue(String name, Codec<T> codec, int partitions) {
    return client.queue(name, Objects.requireNonNull(codec, "codec"), OptionalInt.of(partitions));
  }

  /** The asynchronous form of {@link #queue(String, Codec)}. */
  public <T> CompletionStage<TimedQueue<T>> queueAsync(String name, Codec<T> codec) {
    return client.queueAsync(name, Objects.requireNonNull(codec, "codec"), OptionalInt.empty());
  }

  /** The asynchronous form of {@link #queue(String, Codec, int)}. */
  public <T> CompletionStage<TimedQueue<T>> queueAsync(
      String name, Codec<T> codec, int partitions) {
    return client.queueAsync(
        name, Objects.requireNonNull(codec, "codec"), OptionalInt.of(partitions));
  }

  /**
   * Lists the names of the queues in the store, sorted. Queues that never held a message and were
   * never paused may be absent.
   */
  public List<String> queues() {
    return client.queues();
  }

  /** The asynchronous form of {@link #queues()}. */
  public CompletionStage<List<String>> queuesAsync() {
    return client.queuesAsync();
  }

  /**
   * Lists a page of the queues that a query selects, sorted by name, with their counts. A page
   * costs as much as {@link TimedQueue#counts} of each of its queues; a SQL store counts all of
   * them by one query. Ask for small pages if the queues are large.
   */
  public Page<QueueInfo> queues(QueueQuery query) {
    return client.queues(query);
  }

  /** The asynchronous form of {@link #queues(QueueQuery)}. */
  public CompletionStage<Page<QueueInfo>> queuesAsync(QueueQuery query) {
    return client.queuesAsync(query);
  }

  /**
   * Finds the messages with an id in many queues, for example to learn in which queue the id is.
   * Asks up to 256 queues at a time. Not a snapshot: each look-up sees the message at its own time.
   * With thousands of queues on a distant store, the call can exceed {@link
   * PunctualBuilder#blockingTimeout}; {@link #findAsync} has no such limit.
   *
   * @param queues the names of the queues; a queue that does not exist has no messages
   * @return the messages by their queue, in the order of the queues; a queue without such a message
   *     is not in the map
   */
  public Map<String, StoredMessage<byte[]>> find(String id, Collection<String> queues) {
    return client.find(id, queues);
  }

  /** The asynchronous form of {@link #find}. */
  public CompletionStage<Map<String, StoredMessage<byte[]>>> findAsync(
      String id, Collection<String> queues) {
    return client.findAsync(id, queues);
  }

  /**
   * Counts the waiting messages of many queues that become due in each span of a time range, like
   * {@link TimedQueue#forecast} for each of the queues, but in few calls of the store.
   *
   * @param queues the names of the queues; a queue that does not exist has counts of zero
   * @param buckets the number of spans, 1 to 500
   * @return one forecast for each queue, in the same order
   * @throws IllegalArgumentException if {@code to} is not after {@code from}
   */
  public List<Forecast> forecast(Collection<String> queues, Instant from, Instant to, int buckets) {
    return client.forecast(queues, from, to, buckets);
  }

  /** The asynchronous form of {@link #forecast}. */
  public CompletionStage<List<Forecast>> forecastAsync(
      Collection<String> queues, Instant from, Instant to, int buckets) {
    return client.forecastAsync(queues, from, to, buckets);
  }

  /**
   * Deletes a queue that holds no messages, and everything that the store keeps about it, such as
   * its pause and its number of partitions. Scheduling into the queue later creates it again.
   * Workers and {@link TimedQueue} views of the queue stay usable. The next call of {@link #queue}
   * asks the store again and can set a new number of partitions; existing views then use that
   * number, too. A view that schedules before such a call, or that belongs to a different client,
   * creates the queue with the number of partitions that its client knows.
   *
   * <p>This method removes no message. A deletion that fails partway leaves a queue that works;
   * call this method again to finish it.
   *
   * @throws StoreUnavailableException if the store does not answer and nothing was done
   * @throws OutcomeUnknownException if the store does not answer and the queue may have been
   *     deleted
   */
  public DeleteQueueOutcome deleteQueue(String name) {
    return client.deleteQueue(name);
  }

  /** The asynchronous form of {@link #deleteQueue}. */
  public CompletionStage<DeleteQueueOutcome> deleteQueueAsync(String name) {
    return client.deleteQueueAsync(name);
  }

  /**
   * Purges a queue of all its messages, including messages that workers hold, and deletes it. If
   * producers schedule into the queue meanwhile, there are up to ten {@linkplain TimedQueue#purge
   * purges}.
   *
   * @return {@link DeleteQueueOutcome#NOT_EMPTY} if producers schedule faster than the purges
   *     remove; stop them and call this method again
   */
  public DeleteQueueOutcome purgeAndDeleteQueue(String name) {
    return client.purgeAndDeleteQueue(name);
  }

  /** The asynchronous form of {@link #purgeAndDeleteQueue}. */
  public CompletionStage<DeleteQueueOutcome> purgeAndDeleteQueueAsync(String name) {
    return client.purgeAndDeleteQueueAsync(name);
  }

  /**
   * Creates a pool for workers of this client that share permits and threads.
   *
   * @param options the pool's concurrency, its threads or executor, and its name
   * @throws IllegalArgumentException if another option is set
   */
  public WorkerPool workerPool(WorkerOptions options) {
    return client.workerPool(Objects.requireNonNull(options, "options"));
  }

  /**
   * Lists the workers of all processes that use the store, by queue. A worker appears a moment
   * after its start, and its process renews the entry every 10 seconds. The entry disappears when
   * the worker has ended, or 30 seconds after the last renewal of a process that died. On the
   * memory store and the journal, lists only the workers of this client.
   */
  public List<WorkerInfo> workers() {
    return client.workers();
  }

  /** The asynchronous form of {@link #workers}. */
  public CompletionStage<List<WorkerInfo>> workersAsync() {
    return client.workersAsync();
  }

  /**
   * Lists a worker that is no {@link Worker} among the workers of all processes, until the result
   * or this client is closed: a loop that {@linkplain TimedQueue#claim claims} for itself, or a
   * process for which this process claims. Cheap: all workers of a process share an announcement,
   * also if thousands of them come and go.
   */
  public AnnouncedWorker announce(WorkerAnnouncement worker) {
    return client.announce(Objects.requireNonNull(worker, "worker"));
  }

  /**
   * Asks a worker of any process to stop its claims; its running handlers continue. It obeys within
   * 10 seconds, stays paused until {@link #resumeWorker} or the end of its process, and says so in
   * {@link WorkerInfo#isPausedByOperator}. To stop all workers of a queue, also those that start
   * later, pause the queue.
   *
   * @param id the {@link WorkerInfo#id} of the worker
   */
  public PauseWorkerOutcome pauseWorker(String id) {
    return client.pauseWorker(id, true);
  }

  /** The asynchronous form of {@link #pauseWorker}. */
  public CompletionStage<PauseWorkerOutcome> pauseWorkerAsync(String id) {
    return client.pauseWorkerAsync(id, true);
  }

  /**
   * Asks a worker of any process to end the pause of {@link #pauseWorker}. If its own process has
   * paused it too, it stays paused.
   */
  public PauseWorkerOutcome resumeWorker(String id) {
    return client.pauseWorker(id, false);
  }

  /** The asynchronous form of {@link #resumeWorker}. */
  public CompletionStage<PauseWorkerOutcome> resumeWorkerAsync(String id) {
    return client.pauseWorkerAsync(id, false);
  }

  /**
   * Returns whether the store answers, as the calls of this client see it. Sends nothing: a client
   * without calls does not notice an outage; see {@link #ping}.
   */
  public StoreStatus status() {
    return client.status();
  }

  /**
   * Asks the store for an answer, for health checks.
   *
   * @param timeout how long to wait, at least a millisecond
   * @return the time until the store answered
   * @throws StoreUnavailableException if the store does not answer in time
   * @throws StoreRefusedException if the store refuses the request
   * @throws ClientClosedException if this client is closed
   */
  public Duration ping(Duration timeout) {
    return client.ping(timeout);
  }

  /** Returns the store's URL without secrets, for logs. */
  public String store() {
    return client.describeStore();
  }

  /**
   * Closes the workers, each with the grace period of its options, then the client and its store,
   * and waits for the end. With the default grace period, this takes at most 25 seconds plus the
   * time that the store takes to close. In a handler or a callback, this method returns at once,
   * and the client closes in the background after the handler has returned.
   */
  @Override
  public void close() {
    client.close(null);
  }

  /** Closes the workers with this grace period, then the client and its store. */
  public void close(Duration grace) {
    client.close(grace);
  }

  @Override
  public String toString() {
    return "Punctual[" + store() + "]";
  }
}
