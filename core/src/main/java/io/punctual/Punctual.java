package io.punctual;

import io.punctual.event.EventObserver;
import io.punctual.internal.client.Client;
import io.punctual.internal.client.ClientUrl;
import io.punctual.internal.client.OpeningRule;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Callbacks;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Events;
import io.punctual.internal.runtime.GuardedTimer;
import io.punctual.internal.runtime.Interceptors;
import io.punctual.internal.runtime.TimerLog;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of one store. Schedule a message with a due time, and a worker receives the message when
 * it is due: never early, never two workers at the same time, and again if the worker dies.
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

  private Punctual(Client client) {
    this.client = client;
  }

  /**
   * Opens the store at a URL, such as {@code memory:} or {@code redis://localhost:6379}.
   *
   * @throws IllegalArgumentException if no store on the class path has the scheme, or the store
   *     does not know an option; the message lists the known schemes or options
   * @throws PunctualException if the store can't be opened; the message says what to do
   */
  public static Punctual open(String url) {
    return builder().url(url).build();
  }

  /** Returns a builder, which requires a {@link Builder#url} or a {@link Builder#store}. */
  public static Builder builder() {
    return new Builder();
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
   * As {@link #queue(String, Codec)}; a queue that does not exist yet is created with this number
   * of partitions. The number of an existing queue never changes: see {@link
   * TimedQueue#partitions}.
   *
   * @param partitions the number of partitions, 1 to 1000. Each partition is stored on one server
   *     of a Cluster, so that the queue can use the throughput of several servers. Stores on a
   *     single machine ignore it
   */
  public <T> TimedQueue<T> queue(String name, Codec<T> codec, int partitions) {
    return client.queue(name, Objects.requireNonNull(codec, "codec"), OptionalInt.of(partitions));
  }

  /** As {@link #queue(String, Codec)}, without waiting. */
  public <T> CompletionStage<TimedQueue<T>> queueAsync(String name, Codec<T> codec) {
    return client.queueAsync(name, Objects.requireNonNull(codec, "codec"), OptionalInt.empty());
  }

  /** As {@link #queue(String, Codec, int)}, without waiting. */
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

  /** As {@link #queues}, without waiting. */
  public CompletionStage<List<String>> queuesAsync() {
    return client.queuesAsync();
  }

  /**
   * Deletes a queue that holds no messages, and everything that the store keeps about it, such as
   * its pause and its number of partitions. Scheduling into the queue later creates it again.
   * Workers and {@link TimedQueue} views of the queue stay usable. The next call of {@link #queue}
   * asks the store again, so that it can set a new number of partitions; existing views then use
   * that number, too. A view or a worker that is used earlier, or in a different client, creates
   * the queue with the number of partitions that its client knows.
   *
   * <p>No message is ever removed. A deletion that fails half way leaves a queue that works; call
   * this method again to finish it.
   *
   * @throws StoreUnavailableException if the store does not answer and nothing was done
   * @throws OutcomeUnknownException if the store does not answer and the queue may be gone
   */
  public DeleteQueueOutcome deleteQueue(String name) {
    return client.deleteQueue(name);
  }

  /** As {@link #deleteQueue}, without waiting. */
  public CompletionStage<DeleteQueueOutcome> deleteQueueAsync(String name) {
    return client.deleteQueueAsync(name);
  }

  /**
   * Purges a queue of all its messages, including messages that workers hold, and deletes it. Takes
   * as long as {@link TimedQueue#purge} does.
   *
   * @return {@link DeleteQueueOutcome#NOT_EMPTY} if producers schedule faster than the purge
   *     removes; stop them and call this method again
   */
  public DeleteQueueOutcome purgeAndDeleteQueue(String name) {
    return client.purgeAndDeleteQueue(name);
  }

  /** As {@link #purgeAndDeleteQueue}, without waiting. */
  public CompletionStage<DeleteQueueOutcome> purgeAndDeleteQueueAsync(String name) {
    return client.purgeAndDeleteQueueAsync(name);
  }

  /**
   * Creates a pool for workers of this client that share permits and threads. Its concurrency,
   * threads or executor, and name are those of the options.
   */
  public WorkerPool workerPool(WorkerOptions options) {
    return client.workerPool(Objects.requireNonNull(options, "options"));
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
   * Closes the workers, each with the grace of its options, then the client and its store, and
   * waits for the end. With the default grace this takes at most 25 seconds plus the time of the
   * store. In a handler or a callback, this method returns at once, and the client closes in the
   * background after the handler has returned.
   */
  @Override
  public void close() {
    client.close(null);
  }

  /** Closes the workers with this grace, then the client and its store. */
  public void close(Duration grace) {
    client.close(grace);
  }

  @Override
  public String toString() {
    return "Punctual[" + store() + "]";
  }

  /** Builds a {@link Punctual}. For use by one thread. */
  public static final class Builder {
    private @Nullable String url;
    private @Nullable Store store;
    private @Nullable Supplier<Store> opener;
    private String description = "";
    private @Nullable DueTimer timer;
    private final List<EventObserver> observers = new ArrayList<>();
    private final List<Interceptor> interceptors = new ArrayList<>();
    private final Map<String, WorkerOptions> queueDefaults = new HashMap<>();
    private Startup startup = Startup.FAIL;
    private Duration startupTimeout = Duration.ofSeconds(60);
    private int payloadLimit = Limits.DEFAULT_PAYLOAD_BYTES;
    private int operationLimit = Environment.DEFAULT_OPERATION_LIMIT;
    private long operationBytes = Backlog.defaultLimit();
    private @Nullable Executor callbackExecutor;
    private Duration operationTimeout = Environment.DEFAULT_OPERATION_TIMEOUT;
    private Duration blockingTimeout = Environment.DEFAULT_BLOCKING_TIMEOUT;

    private Builder() {}

    /** Sets the URL of the store to open. */
    public Builder url(String url) {
      this.url = Objects.requireNonNull(url, "url");
      return this;
    }

    /** Sets the store itself, instead of a URL. It is closed with the client. */
    public Builder store(Store store) {
      this.store = Objects.requireNonNull(store, "store");
      return this;
    }

    /**
     * Sets a function that opens the store, instead of a URL, for stores with options that no URL
     * has. {@link #build} calls it, again and again if {@link #startup} says so: on the calling
     * thread, or on a thread of the client.
     *
     * @param description the store's URL without secrets, for messages
     * @param opener returns an open store, which is closed with the client; throws a {@link
     *     PunctualException} if a later call may succeed
     */
    public Builder store(String description, Supplier<Store> opener) {
      this.description = Objects.requireNonNull(description, "description");
      this.opener = Objects.requireNonNull(opener, "opener");
      return this;
    }

    /**
     * Sets the timer for all waits, instead of an own {@link WheelTimer}. The client does not close
     * the timer. Tests pass a clock that they advance.
     */
    public Builder timer(DueTimer timer) {
      this.timer = Objects.requireNonNull(timer, "timer");
      return this;
    }

    /** Adds an observer of the events of this client. */
    public Builder observer(EventObserver observer) {
      observers.add(Objects.requireNonNull(observer, "observer"));
      return this;
    }

    /**
     * Sets the options of the workers of a queue that are started without options, and the lease of
     * claims without a lease; {@link WorkerOptions#DEFAULT} by default.
     */
    public Builder queueDefaults(String queue, WorkerOptions options) {
      Checks.queueName(queue);
      queueDefaults.put(queue, Objects.requireNonNull(options, "options"));
      return this;
    }

    /** Adds code that runs around the schedules and handlers of this client. */
    public Builder interceptor(Interceptor interceptor) {
      interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
      return this;
    }

    /**
     * Sets the largest payload, in bytes, up to {@link Limits#MAX_PAYLOAD_BYTES}; {@link
     * Limits#DEFAULT_PAYLOAD_BYTES} by default.
     */
    public Builder payloadLimit(int bytes) {
      if (bytes < 0 || bytes > Limits.MAX_PAYLOAD_BYTES) {
        throw new IllegalArgumentException(
            "payloadLimit must be between 0 and "
                + Limits.MAX_PAYLOAD_BYTES
                + ", but was "
                + bytes);
      }
      this.payloadLimit = bytes;
      return this;
    }

    /**
     * Sets how many operations of one partition may wait for the store; 100,000 by default. Further
     * operations fail with a {@link ClientBusyException}. Settlements are always accepted.
     */
    public Builder operationLimit(int operations) {
      if (operations < 1) {
        throw new IllegalArgumentException("operationLimit must be positive, not " + operations);
      }
      this.operationLimit = operations;
      return this;
    }

    /**
     * Sets how many bytes of schedules may wait for the store, over all queues; by default an
     * eighth of the largest heap, but at most 256 MiB. At the limit, a blocking schedule waits for
     * room up to its time-out, and an {@code Async} form fails with a {@link ClientBusyException}
     * at once. A single call may exceed the limit.
     */
    public Builder operationBytes(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("operationBytes must be positive, not " + bytes);
      }
      this.operationBytes = bytes;
      return this;
    }

    /**
     * Sets how long the client tries to complete an operation for which no thread blocks, for
     * example in an {@code Async} form; 60 seconds by default. The URL's option {@code
     * operationTimeout} takes precedence.
     */
    public Builder operationTimeout(Duration time) {
      this.operationTimeout = Checks.timeout(time, "operationTimeout");
      return this;
    }

    /**
     * Sets how long a blocking call waits for the store; 5 seconds by default. The URL's option
     * {@code blockingTimeout} takes precedence; {@link TimedQueue#withTimeout} sets the time for
     * single calls.
     */
    public Builder blockingTimeout(Duration time) {
      this.blockingTimeout = Checks.timeout(time, "blockingTimeout");
      return this;
    }

    /**
     * Sets what {@link #build} does while the store can't be opened, for example because its server
     * starts later, or because another process owns the folder; {@link Startup#FAIL} by default. A
     * wrong URL always throws. Has no effect with {@link #store(Store)}.
     */
    public Builder startup(Startup startup) {
      this.startup = Objects.requireNonNull(startup, "startup");
      return this;
    }

    /** Sets how long {@link Startup#WAIT} waits for the store; 60 seconds by default. */
    public Builder startupTimeout(Duration time) {
      this.startupTimeout = Checks.timeout(time, "startupTimeout");
      return this;
    }

    /**
     * Sets the executor on which the stages of {@code Async} forms complete, so that callbacks may
     * block, and on which {@link TimedQueue#claimAsync} decodes payloads. By default the thread
     * that received the reply does both, and blocking calls there throw {@link
     * IllegalStateException}. The client does not close the executor. Event observers do not use
     * it.
     */
    public Builder callbackExecutor(Executor executor) {
      this.callbackExecutor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Opens the store if need be, and returns the client.
     *
     * @throws IllegalStateException unless exactly one was set of a URL, a store and an opener
     * @throws IllegalArgumentException as {@link Punctual#open}
     * @throws PunctualException as {@link Punctual#open}
     */
    public Punctual build() {
      if (Stream.of(url, store, opener).filter(Objects::nonNull).count() != 1) {
        throw new IllegalStateException(
            "Set exactly one of Builder.url, store(Store) and store(String, Supplier)");
      }
      WheelTimer own = timer == null ? TimerLog.timer() : null;
      DueTimer used = own == null ? Objects.requireNonNull(timer) : own;
      try {
        ClientUrl parsed = url == null ? null : ClientUrl.parse(url);
        Environment env = environment(used, own != null, parsed);
        Store opened = open(used, parsed);
        return new Punctual(
            new Client(opened, env, queueDefaults, own == null ? () -> {} : own::close));
      } catch (RuntimeException | Error e) {
        if (own != null) {
          own.close();
        }
        throw e;
      }
    }

    private Store open(DueTimer used, @Nullable ClientUrl parsed) {
      if (parsed != null) {
        return parsed.open(used, startup, startupTimeout);
      }
      return opener == null
          ? Objects.requireNonNull(store)
          : OpeningRule.open(description, opener, startup, startupTimeout);
    }

    private Environment environment(DueTimer used, boolean isOwn, @Nullable ClientUrl parsed) {
      return new Environment(
          isOwn ? GuardedTimer.owned(used) : GuardedTimer.shared(used),
          Clock.systemUTC(),
          ThreadLocalRandom::current,
          new Events(observers),
          new Interceptors(interceptors, used::nanoTime),
          new Callbacks(callbackExecutor),
          payloadLimit,
          parsed == null ? operationTimeout : parsed.operationTimeout().orElse(operationTimeout),
          parsed == null ? blockingTimeout : parsed.blockingTimeout().orElse(blockingTimeout),
          operationLimit,
          new Backlog(operationBytes));
    }
  }
}
