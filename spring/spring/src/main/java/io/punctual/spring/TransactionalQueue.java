package io.punctual.spring;

import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.TimedQueue;
import io.punctual.spring.ChangeLog.Change;
import io.punctual.spring.ChangeLog.Kind;
import io.punctual.spring.ChangeLog.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A queue whose changes belong to the transaction of the calling thread.
 *
 * <p>With an SQL store on the {@code DataSource} of the transaction, the changes are stored inside
 * the transaction itself, just before its commit: they take effect if and when it commits. All
 * other stores, and transactions that are read-only or on a different {@code DataSource}, need a
 * compromise:
 *
 * <ul>
 *   <li>Schedules with {@link IfPresent#KEEP} and {@link IfPresent#REJECT} are sent just before the
 *       commit, many in one call. If the store fails, the transaction rolls back, and the messages
 *       with generated ids that were stored already are cancelled.
 *   <li>If the commit itself then fails, the stored messages stay, because the database can have
 *       committed in spite of the failure. Messages with given ids always stay, because a different
 *       transaction can rely on the same id.
 *   <li>Cancels, reschedules, schedules that may replace a message, and schedules behind one of
 *       these for the same id are sent after the commit, in their order. So are the first changes
 *       of a queue in a {@code beforeCommit} callback or a JPA flush at the commit. If the store
 *       fails then, the call that committed throws, although the transaction is committed. If the
 *       process ends in between, these changes are lost. If the outcome of the commit is unknown,
 *       they are not sent, and a line of the log names them.
 *   <li>Without a transaction, also in a method with {@code SUPPORTS}, {@code NOT_SUPPORTED} or
 *       {@code NEVER}, every change is sent at once.
 * </ul>
 *
 * <p>In short, outside the store's own database: a schedule of a committed transaction that was
 * sent before the commit is not lost, and a message of a transaction that was rolled back can run.
 * Let the handler check whether the row exists.
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
  private final @Nullable PunctualTransactions transactions;

  /**
   * Creates a queue.
   *
   * @param transactions the transactions on the database of the store; null for other stores
   */
  TransactionalQueue(
      TimedQueue<T> queue, TransactionMode mode, @Nullable PunctualTransactions transactions) {
    this.queue = queue;
    this.mode = mode;
    this.transactions = transactions;
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
    String id = named.id().orElseThrow();
    change(
        new Change<>(
            Kind.SCHEDULE,
            id,
            calls -> calls.schedule(List.of(named), ifPresent),
            new Schedule<>(named, ifPresent, generated)));
    return id;
  }

  /** Cancels a message by its id, after the commit; drops the transaction's schedules of the id. */
  public void cancel(String id) {
    change(new Change<>(Kind.CANCEL, id, calls -> calls.cancel(id), null));
  }

  /**
   * Gives a waiting message a new due time, after the commit. If the transaction scheduled the
   * message itself, the message first has the due time of that schedule.
   */
  public void reschedule(String id, Due due) {
    change(new Change<>(Kind.RESCHEDULE, id, calls -> calls.reschedule(id, due), null));
  }

  private void change(Change<T> change) {
    PendingChanges<T> changes = changes();
    if (changes == null) {
      change.send().accept(ChangeCalls.of(queue));
    } else {
      changes.add(change);
    }
  }

  /** Returns the changes of the thread's transaction, or null if a change is sent at once. */
  private @Nullable PendingChanges<T> changes() {
    if (REACTOR_THREAD != null && REACTOR_THREAD.isInstance(Thread.currentThread())) {
      throw new IllegalStateException(
          "A TransactionalQueue blocks, and sees no reactive transaction; use"
              + " TimedQueue.scheduleAsync after the commit, or a PlatformTransactionManager");
    }
    if (mode == TransactionMode.NONE
        || !TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return null;
    }
    PendingChanges<T> registered = registered();
    if (registered != null) {
      return registered;
    }
    PendingChanges<T> created = new PendingChanges<>(this, queue, mode, transactions);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.registerSynchronization(created.endOfCommit());
    return created;
  }

  /**
   * Looks in the synchronizations: a resource of the thread would also be visible in a transaction
   * that a callback starts after the end of this transaction.
   */
  @SuppressWarnings("unchecked") // The changes of this queue have its type.
  private @Nullable PendingChanges<T> registered() {
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof PendingChanges<?> pending && pending.isOf(this)) {
        return (PendingChanges<T>) pending;
      }
    }
    return null;
  }
}
