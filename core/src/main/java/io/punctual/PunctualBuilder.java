package io.punctual;

import io.punctual.event.EventObserver;
import io.punctual.internal.client.Client;
import io.punctual.internal.client.ClientUrl;
import io.punctual.internal.client.OpeningRule;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.Recurrences;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Callbacks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Events;
import io.punctual.internal.runtime.GuardedTimer;
import io.punctual.internal.runtime.Interceptors;
import io.punctual.internal.runtime.LastFailure;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Punctual} from a {@link #url} or a {@link #store}; see {@link Punctual#builder}.
 * For use by one thread.
 */
public final class PunctualBuilder {
  /**
   * The source of ids. It reads from the operating system, so that two processes that were restored
   * from one image do not create the same ids.
   */
  private static final RandomGenerator RANDOM = new SecureRandom();

  private @Nullable String url;
  private @Nullable Store store;
  private @Nullable Supplier<Store> opener;
  private String description = "";
  private @Nullable DueTimer timer;
  private final List<EventObserver> observers = new ArrayList<>();
  private final List<Interceptor> interceptors = new ArrayList<>();
  private final Map<String, WorkerOptions> queueDefaults = new HashMap<>();
  private Startup startup = Startup.FAIL;
  private @Nullable Duration startupTimeout;
  private int payloadLimit = Limits.DEFAULT_PAYLOAD_BYTES;
  private int operationLimit = Environment.DEFAULT_OPERATION_LIMIT;
  private long operationBytes = Backlog.defaultLimit();
  private @Nullable Executor callbackExecutor;
  private Duration operationTimeout = Environment.DEFAULT_OPERATION_TIMEOUT;
  private Duration blockingTimeout = Environment.DEFAULT_BLOCKING_TIMEOUT;

  PunctualBuilder() {}

  /** Sets the URL of the store to open. */
  public PunctualBuilder url(String url) {
    this.url = Objects.requireNonNull(url, "url");
    return this;
  }

  /** Sets the store itself, instead of a URL. It is closed with the client. */
  public PunctualBuilder store(Store store) {
    this.store = Objects.requireNonNull(store, "store");
    return this;
  }

  /**
   * Sets a function that opens the store, instead of a URL, for stores with options that a URL
   * can't express. With {@link Startup#FAIL}, {@link #build} calls the function on the calling
   * thread. With {@link Startup#WAIT} and {@link Startup#BACKGROUND}, a thread of the client calls
   * the function, and calls it again after each {@link PunctualException}.
   *
   * @param description the store's URL without secrets, for messages
   * @param opener returns an open store, which is closed with the client; throws a {@link
   *     PunctualException} if a later call may succeed
   */
  public PunctualBuilder store(String description, Supplier<Store> opener) {
    this.description = Objects.requireNonNull(description, "description");
    this.opener = Objects.requireNonNull(opener, "opener");
    return this;
  }

  /**
   * Sets the timer of leases, wake-ups and the client's other waits, except the waits of blocking
   * calls; by default the client creates a {@link WheelTimer}. The client does not close a timer
   * that was set. Tests set a timer that they advance themselves.
   */
  public PunctualBuilder timer(DueTimer timer) {
    this.timer = Objects.requireNonNull(timer, "timer");
    return this;
  }

  /** Adds an observer of the events of this client. */
  public PunctualBuilder observer(EventObserver observer) {
    observers.add(Objects.requireNonNull(observer, "observer"));
    return this;
  }

  /**
   * Sets the options of a queue's workers that are started without options, and the lease of claims
   * without an explicit lease; {@link WorkerOptions#DEFAULT} by default.
   */
  public PunctualBuilder queueDefaults(String queue, WorkerOptions options) {
    Checks.queueName(queue);
    queueDefaults.put(queue, Objects.requireNonNull(options, "options"));
    return this;
  }

  /** Adds code that runs around the schedules and handlers of this client. */
  public PunctualBuilder interceptor(Interceptor interceptor) {
    interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
    return this;
  }

  /**
   * Sets the largest payload, in bytes, up to {@link Limits#MAX_PAYLOAD_BYTES}; {@link
   * Limits#DEFAULT_PAYLOAD_BYTES} by default.
   */
  public PunctualBuilder payloadLimit(int bytes) {
    if (bytes < 0 || bytes > Limits.MAX_PAYLOAD_BYTES) {
      throw new IllegalArgumentException(
          "payloadLimit must be between 0 and " + Limits.MAX_PAYLOAD_BYTES + ", but was " + bytes);
    }
    this.payloadLimit = bytes;
    return this;
  }

  /**
   * Sets how many operations of one partition may wait for the store; 100,000 by default. Further
   * operations fail with a {@link ClientBusyException}, except settlements. A single call may
   * exceed the limit.
   */
  public PunctualBuilder operationLimit(int operations) {
    if (operations < 1) {
      throw new IllegalArgumentException("operationLimit must be positive, not " + operations);
    }
    this.operationLimit = operations;
    return this;
  }

  /**
   * Sets how many bytes of schedules may wait for the store, over all queues; by default an eighth
   * of the largest heap, but at most 256 MiB. At the limit, a blocking schedule waits for room up
   * to its time-out, and an asynchronous form fails with a {@link ClientBusyException} at once. A
   * single call may exceed the limit.
   */
  public PunctualBuilder operationBytes(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("operationBytes must be positive, not " + bytes);
    }
    this.operationBytes = bytes;
    return this;
  }

  /**
   * Sets how long the client tries to complete an operation, for example of an asynchronous form;
   * 60 seconds by default. A blocking call may stop waiting earlier. The URL's option {@code
   * operationTimeout} takes precedence.
   */
  public PunctualBuilder operationTimeout(Duration time) {
    this.operationTimeout = Checks.timeout(time, "operationTimeout");
    return this;
  }

  /**
   * Sets how long a blocking call waits for the store; 5 seconds by default. The URL's option
   * {@code blockingTimeout} takes precedence; {@link TimedQueue#withTimeout} sets the time for
   * single calls.
   */
  public PunctualBuilder blockingTimeout(Duration time) {
    this.blockingTimeout = Checks.timeout(time, "blockingTimeout");
    return this;
  }

  /**
   * Sets what {@link #build} does while the store can't be opened, for example because its server
   * starts later, or because another process owns the folder; {@link Startup#FAIL} by default. A
   * wrong URL always throws. Not for an open {@link #store(Store)}.
   */
  public PunctualBuilder startup(Startup startup) {
    this.startup = Objects.requireNonNull(startup, "startup");
    return this;
  }

  /** Sets how long {@link Startup#WAIT} waits for the store; 60 seconds by default. */
  public PunctualBuilder startupTimeout(Duration time) {
    this.startupTimeout = Checks.timeout(time, "startupTimeout");
    return this;
  }

  /**
   * Sets the executor that completes the stages of asynchronous forms, so that callbacks may block.
   * {@link AsyncTimedQueue#claim} and {@link AsyncTimedQueue#take} also decode payloads on it. By
   * default the thread that received the reply does both, and blocking calls there throw {@link
   * IllegalStateException}. The client does not close the executor. Event observers do not use it.
   */
  public PunctualBuilder callbackExecutor(Executor executor) {
    this.callbackExecutor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Returns the client, and opens its store unless {@link #store(Store)} has set an open store.
   *
   * @throws IllegalStateException unless exactly one of the URL, the store and the opener was set,
   *     or if the way to open a store was set together with an open store
   * @throws IllegalArgumentException for the same reasons as in {@link Punctual#open}
   * @throws PunctualException for the same reasons as in {@link Punctual#open}
   */
  public Punctual build() {
    if (Stream.of(url, store, opener).filter(Objects::nonNull).count() != 1) {
      throw new IllegalStateException(
          "Set exactly one of PunctualBuilder.url, store(Store) and store(String, Supplier)");
    }
    boolean hasTimeout = startupTimeout != null;
    if (store != null && (startup != Startup.FAIL || hasTimeout)) {
      throw new IllegalStateException(
          "PunctualBuilder.startup is for a store that the client opens; leave it out, or set the"
              + " URL or store(String, Supplier) in place of store(Store)");
    }
    if (hasTimeout && startup != Startup.WAIT) {
      throw new IllegalStateException(
          "PunctualBuilder.startupTimeout is only for Startup.WAIT; leave it out, or set"
              + " startup(Startup.WAIT)");
    }
    WheelTimer own = timer == null ? GuardedTimer.newTimer() : null;
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
    Duration patience = startupTimeout == null ? Duration.ofSeconds(60) : startupTimeout;
    if (parsed != null) {
      return parsed.open(used, startup, patience);
    }
    return opener == null
        ? Objects.requireNonNull(store)
        : OpeningRule.open(description, opener, startup, patience);
  }

  private Environment environment(DueTimer used, boolean isOwn, @Nullable ClientUrl parsed) {
    return new Environment(
        isOwn ? GuardedTimer.owned(used) : GuardedTimer.shared(used),
        used instanceof InstantSource clock ? clock : Clock.systemUTC(),
        () -> RANDOM,
        new Events(observers),
        new Interceptors(interceptors, used::nanoTime),
        new Callbacks(callbackExecutor, task -> used.schedule(0, task)),
        payloadLimit,
        parsed == null ? operationTimeout : parsed.operationTimeout().orElse(operationTimeout),
        parsed == null ? blockingTimeout : parsed.blockingTimeout().orElse(blockingTimeout),
        operationLimit,
        new Backlog(operationBytes),
        new Recurrences(),
        new LastFailure());
  }
}
