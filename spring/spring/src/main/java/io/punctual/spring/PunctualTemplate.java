package io.punctual.spring;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.util.ClassUtils;

/**
 * Schedules and cancels messages by the name of the queue, in the transaction of the calling
 * thread. The class of the payload decides the codec.
 *
 * <ul>
 *   <li>If an SQL store uses the {@code DataSource} of the transaction, a change is a part of the
 *       transaction, on its connection: it takes effect if and when the transaction commits.
 *   <li>With other stores, and in transactions that are read-only or on a different {@code
 *       DataSource}, a change is sent after the commit, and dropped at a rollback. A crash between
 *       the commit and the call loses the change. If the call fails, the method that committed
 *       throws, although the transaction is committed. {@link TransactionMode#BEFORE_COMMIT} loses
 *       no schedule, but a listener can run before the commit, or without it.
 *   <li>Without a transaction, or with {@link TransactionMode#NONE}, a change is sent at once.
 * </ul>
 *
 * <p>An INFO line of the logger {@code io.punctual.spring.transaction} says at the first change of
 * a queue which of the first two applies. {@link TransactionalQueue} has the same rules in detail.
 * All changes of a queue keep their order in a transaction. The payload is encoded when the change
 * is sent; a message that is not valid, or whose payload can't be encoded, fails at once.
 *
 * <p>The methods return no outcomes, because an outcome may not be known before the commit. Use
 * {@link PunctualQueues#get} for outcomes, for calls that do not wait, for payloads with type
 * parameters, which need the declared type, and for the operations that this class does not have;
 * such calls take no part in a transaction. Use {@link io.punctual.Punctual#queue} for a queue
 * whose listener names a codec. The methods throw the exceptions of {@link PunctualQueues#get} and
 * {@link TimedQueue}; on a non-blocking thread of Reactor they throw {@link IllegalStateException}.
 * Safe for use by many threads.
 */
public final class PunctualTemplate {
  private static final boolean TRANSACTIONS_EXIST =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          PunctualTemplate.class.getClassLoader());

  private final PunctualQueues queues;
  private final TransactionMode mode;

  /** The queues that were changed in transactions, by name. */
  private final Map<String, TransactionalQueue<Object>> changed = new ConcurrentHashMap<>();

  /**
   * Creates a template that uses these queues. Its changes are a part of the thread's transaction,
   * or follow its commit.
   */
  public PunctualTemplate(PunctualQueues queues) {
    this(queues, TransactionMode.AFTER_COMMIT);
  }

  /**
   * Creates a template that uses these queues.
   *
   * @param mode when changes are sent in a transaction in which the store can take no part; {@link
   *     TransactionMode#NONE} keeps the changes out of all transactions
   */
  public PunctualTemplate(PunctualQueues queues, TransactionMode mode) {
    this.queues = Objects.requireNonNull(queues, "queues");
    this.mode = Objects.requireNonNull(mode, "mode");
  }

  /** Schedules a payload, and returns the generated id; a negative delay means now. */
  public String schedule(String queue, Object payload, Duration delay) {
    return schedule(queue, Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload, and returns the generated id; a past instant means now. */
  public String schedule(String queue, Object payload, Instant dueAt) {
    return schedule(queue, Message.of(payload).dueAt(dueAt));
  }

  /** Schedules a message with {@link IfPresent#KEEP}, and returns its id. */
  public String schedule(String queue, Message<?> message) {
    return schedule(queue, message, IfPresent.KEEP);
  }

  /**
   * Schedules a message, and returns its id. A delay counts from the moment at which the store
   * receives the schedule.
   */
  @SuppressWarnings("unchecked") // A message is immutable, so its payload cannot change.
  public String schedule(String queue, Message<?> message, IfPresent ifPresent) {
    Message<Object> untyped = (Message<Object>) message;
    return isInTransaction()
        ? changed(queue).schedule(untyped, ifPresent)
        : queues.anyPayload(queue).schedule(untyped, ifPresent).id();
  }

  /** Cancels a message by its id. */
  public void cancel(String queue, String id) {
    if (isInTransaction()) {
      changed(queue).cancel(id);
    } else {
      queues.anyPayload(queue).cancel(id);
    }
  }

  /** Gives a waiting message a new due time, earlier or later. */
  public void reschedule(String queue, String id, Due due) {
    if (isInTransaction()) {
      changed(queue).reschedule(id, due);
    } else {
      queues.anyPayload(queue).reschedule(id, due);
    }
  }

  private boolean isInTransaction() {
    return mode != TransactionMode.NONE
        && TRANSACTIONS_EXIST
        && TransactionalQueue.isInTransaction();
  }

  private TransactionalQueue<Object> changed(String queue) {
    TransactionalQueue<Object> known = changed.get(queue);
    if (known != null) {
      return known;
    }
    // The look-up of a queue can call the store, so it does not run under a lock of the map.
    TransactionalQueue<Object> created = queues.anyPayload(queue, mode);
    TransactionalQueue<Object> other = changed.putIfAbsent(queue, created);
    return other == null ? created : other;
  }
}
