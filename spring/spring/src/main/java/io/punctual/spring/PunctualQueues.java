package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** Returns queues by name and type of the payload. Safe for use by many threads. */
public final class PunctualQueues {
  private final Punctual punctual;
  private final PunctualCodecs codecs;
  private final Map<Type, Codec<?>> byType = new ConcurrentHashMap<>();
  private final AnyPayloadCodec anyPayload = new AnyPayloadCodec(this);

  private final TransactionMode mode;
  private final Duration commitTimeout;
  private final @Nullable PunctualTransactions transactions;

  /**
   * Creates an access to the queues of this client. Transactional queues send schedules before the
   * commit, wait up to 5 seconds for each call to the store, and join no transaction of an SQL
   * store.
   */
  public PunctualQueues(Punctual punctual, PunctualCodecs codecs) {
    this(punctual, codecs, TransactionMode.BEFORE_COMMIT, Duration.ofSeconds(5));
  }

  /**
   * Creates an access to the queues of this client.
   *
   * @param mode when transactional queues send their schedules
   * @param commitTimeout the time-out of each call to the store at the end of a transaction; must
   *     be at least a millisecond
   */
  public PunctualQueues(
      Punctual punctual, PunctualCodecs codecs, TransactionMode mode, Duration commitTimeout) {
    this(punctual, codecs, mode, commitTimeout, null);
  }

  /**
   * Creates an access to the queues of this client.
   *
   * @param mode when transactional queues send their schedules
   * @param commitTimeout the time-out of each call to the store at the end of a transaction; must
   *     be at least a millisecond
   * @param transactions the transactions on the {@code DataSource} of an SQL store; changes of
   *     transactional queues and of templates join them. Null if the store is not an SQL store, or
   *     if the application's transactions use a different {@code DataSource}
   */
  public PunctualQueues(
      Punctual punctual,
      PunctualCodecs codecs,
      TransactionMode mode,
      Duration commitTimeout,
      @Nullable PunctualTransactions transactions) {
    this.transactions = transactions;
    this.mode = Objects.requireNonNull(mode, "mode");
    this.commitTimeout = Objects.requireNonNull(commitTimeout, "commitTimeout");
    this.punctual = Objects.requireNonNull(punctual, "punctual");
    this.codecs = Objects.requireNonNull(codecs, "codecs");
  }

  /**
   * Returns the queue of this name, for payloads of this type.
   *
   * @throws IllegalArgumentException if there is no codec for the type
   * @throws io.punctual.PunctualException as {@link Punctual#queue(String, Codec)}
   */
  public <T> TimedQueue<T> get(String name, Class<T> type) {
    return punctual.queue(name, this.<T>codec(type));
  }

  /** As {@link #get(String, Class)}, for a generic type. */
  public <T> TimedQueue<T> get(String name, ParameterizedTypeReference<T> type) {
    return punctual.queue(name, this.<T>codec(type.getType()));
  }

  /** As {@link #get(String, Class)}, without waiting; the stage completes with the exceptions. */
  public <T> CompletionStage<TimedQueue<T>> getAsync(String name, Class<T> type) {
    try {
      return punctual.queueAsync(name, this.<T>codec(type));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Returns the queue of this name for changes in transactions. Requires {@code spring-tx}. Keep
   * the instance: within a transaction, the order of changes is kept for each instance only.
   */
  public <T> TransactionalQueue<T> transactional(String name, Class<T> type) {
    return transactional(name, this.<T>codec(type), mode);
  }

  /** As {@link #transactional(String, Class)}, for a generic type. */
  public <T> TransactionalQueue<T> transactional(String name, ParameterizedTypeReference<T> type) {
    return transactional(name, this.<T>codec(type.getType()), mode);
  }

  private <T> TransactionalQueue<T> transactional(
      String name, Codec<T> codec, TransactionMode chosen) {
    TimedQueue<T> queue = punctual.queue(name, codec).withTimeout(commitTimeout);
    return new TransactionalQueue<>(queue, codec, chosen, transactions);
  }

  /** Returns a queue for changes in transactions, for payloads of any type. */
  TransactionalQueue<Object> anyPayload(String name, TransactionMode chosen) {
    return transactional(name, anyPayload, chosen);
  }

  /**
   * Returns the queue of this name, for payloads of any type. The class of a payload decides how it
   * is encoded; payloads can't be read.
   */
  TimedQueue<Object> anyPayload(String name) {
    return punctual.queue(name, anyPayload);
  }

  /**
   * Returns the codec of this type.
   *
   * @throws IllegalArgumentException if there is no codec for the type
   */
  @SuppressWarnings("unchecked") // The codec of a type encodes and decodes that type.
  <T> Codec<T> codec(Type type) {
    return (Codec<T>) byType.computeIfAbsent(type, codecs::codec);
  }
}
