package io.punctual.spring;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A queue whose changes belong to the transaction of the calling thread. It loses no message; at
 * worst, a message of a transaction that was rolled back runs.
 *
 * <ul>
 *   <li>Schedules are sent just before the commit, many in one call. If the store fails, the
 *       transaction rolls back. If the transaction rolls back afterwards, the stored messages are
 *       cancelled; if its outcome is unknown, they stay.
 *   <li>Cancels, reschedules, and schedules that may replace a message are sent after the commit,
 *       in their order. If the store fails then, the call that committed throws, although the
 *       transaction is committed.
 *   <li>Without a transaction, every change is sent at once.
 * </ul>
 *
 * <p>A delay counts from the moment at which the store receives the schedule. A rollback to a
 * savepoint drops the changes after it. Reactive transactions do not belong to a thread and are not
 * supported: a call on a thread of Reactor throws {@link IllegalStateException}. {@link
 * PunctualQueues#transactional} returns an instance. Safe for use by many threads.
 *
 * @param <T> the payload's type
 */
public final class TransactionalQueue<T> {
  private static final @Nullable Class<?> REACTOR_THREAD = reactorThread();

  private final TimedQueue<T> queue;
  private final TransactionMode mode;

  TransactionalQueue(TimedQueue<T> queue, TransactionMode mode) {
    this.queue = queue;
    this.mode = mode;
  }

  private static @Nullable Class<?> reactorThread() {
    String name = "reactor.core.scheduler.NonBlocking";
    ClassLoader loader = TransactionalQueue.class.getClassLoader();
    return ClassUtils.isPresent(name, loader) ? ClassUtils.resolveClassName(name, loader) : null;
  }

  /** Schedules a payload, and returns the generated id; a negative delay means now. */
  public String schedule(T payload, Duration delay) {
    return schedule(Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload, and returns the generated id; a past instant means now. */
  public String schedule(T payload, Instant dueAt) {
    return schedule(Message.of(payload).dueAt(dueAt));
  }

  /** Schedules a message as {@link IfPresent#KEEP} states, and returns its id. */
  public String schedule(Message<T> message) {
    return schedule(message, IfPresent.KEEP);
  }

  /**
   * Schedules a message, and returns its id.
   *
   * @param ifPresent {@link IfPresent#REPLACE} and {@link IfPresent#EARLIEST} are sent after the
   *     commit, because no cancel restores the message that they replace
   */
  public String schedule(Message<T> message, IfPresent ifPresent) {
    boolean generated = message.id().isEmpty();
    Message<T> named = generated ? message.id(UUID.randomUUID().toString()) : message;
    PendingChanges<T> changes = changes();
    if (changes == null) {
      Object unused = queue.schedule(named, ifPresent);
    } else {
      changes.schedule(named, ifPresent, generated);
    }
    return named.id().orElseThrow();
  }

  /** Cancels a message by its id, after the commit. */
  public void cancel(String id) {
    change(id, () -> queue.cancel(id));
  }

  /** Gives a waiting message a new due time, after the commit. */
  public void reschedule(String id, Due due) {
    change(id, () -> queue.reschedule(id, due));
  }

  private void change(String id, Runnable change) {
    PendingChanges<T> changes = changes();
    if (changes == null) {
      change.run();
    } else {
      changes.afterCommit(id, change);
    }
  }

  /** Returns the changes of the thread's transaction, or null if a change is sent at once. */
  @SuppressWarnings("unchecked") // The key is this queue.
  private @Nullable PendingChanges<T> changes() {
    if (REACTOR_THREAD != null && REACTOR_THREAD.isInstance(Thread.currentThread())) {
      throw new IllegalStateException(
          "A TransactionalQueue blocks, and sees no reactive transaction; use"
              + " TimedQueue.scheduleAsync after the commit, or a PlatformTransactionManager");
    }
    if (mode == TransactionMode.NONE
        || !TransactionSynchronizationManager.isSynchronizationActive()) {
      return null;
    }
    PendingChanges<T> bound =
        (PendingChanges<T>) TransactionSynchronizationManager.getResource(this);
    if (bound != null) {
      return bound;
    }
    PendingChanges<T> created = new PendingChanges<>(this, queue, mode);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.bindResource(this, created);
    return created;
  }
}
