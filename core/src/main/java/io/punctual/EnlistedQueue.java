package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * A view of a queue whose changes belong to a {@link Transaction}: they take effect only if and
 * when the transaction commits. {@link TimedQueue#inTransaction} returns an instance.
 *
 * <p>Calls run statements in the transaction, on the calling thread, and block. The database's
 * limits and isolation apply. A delay counts from the call, not from the commit. Until the end of
 * the transaction, calls outside of it can't change the messages that the transaction has changed:
 * they wait for a short time, and then fail with {@link LockedByTransactionException}. Keep such
 * transactions short.
 *
 * <p>Calls fail with the exceptions of {@link TimedQueue}. A failed call may have ended the
 * transaction in the database, like any failed statement; roll back, and repeat the transaction.
 * Interceptors run around a schedule, and do not wait for the commit. Events of successful changes
 * are published after the commit.
 *
 * <p>Only the threads that may use the transaction may use this view.
 *
 * @param <T> the payload's type
 */
public interface EnlistedQueue<T> {
  /** Schedules a payload, like {@link TimedQueue#schedule(Object, Duration)}. */
  default Scheduled schedule(T payload, Duration delay) {
    return schedule(Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload, like {@link TimedQueue#schedule(Object, Instant)}. */
  default Scheduled schedule(T payload, Instant dueAt) {
    return schedule(Message.of(payload).dueAt(dueAt));
  }

  /** Schedules a message, like {@link TimedQueue#schedule(Message)}. */
  default Scheduled schedule(Message<T> message) {
    return schedule(message, IfPresent.KEEP);
  }

  /** Schedules a message, like {@link TimedQueue#schedule(Message, IfPresent)}. */
  default Scheduled schedule(Message<T> message, IfPresent ifPresent) {
    return scheduleAll(List.of(message), ifPresent).get(0);
  }

  /** Schedules many messages with {@link IfPresent#KEEP}. */
  default List<Scheduled> scheduleAll(Collection<Message<T>> messages) {
    return scheduleAll(messages, IfPresent.KEEP);
  }

  /**
   * Schedules many messages with few statements. The call is atomic: if it fails, it has no effect,
   * even if the application commits the transaction. There is one exception: if a generated id
   * exists already, which is possible after the process was restored from an image, that message is
   * scheduled in a further statement with a new id. If that statement fails, roll back.
   *
   * @return one result for each message, in the same order
   */
  List<Scheduled> scheduleAll(Collection<Message<T>> messages, IfPresent ifPresent);

  /** Cancels a message, like {@link TimedQueue#cancel}. */
  CancelOutcome cancel(String id);

  /** Gives a waiting message a new due time, like {@link TimedQueue#reschedule}. */
  RescheduleOutcome reschedule(String id, Due due);

  /** Makes a waiting message due now, like {@link TimedQueue#runNow}. */
  RescheduleOutcome runNow(String id);
}
