package io.punctual.jdbc.partition;

import io.punctual.DeleteQueueOutcome;
import io.punctual.LockedByTransactionException;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.jdbc.sql.Work;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pauses, resumes, limits and deletes a queue. On some databases, an open transaction that has
 * scheduled a message locks the row of the queue. A change that waits for this lock would block the
 * schedules of all clients. A deletion therefore does not wait for the lock, and a pause does not
 * wait at first, except on H2. They try again every 20 milliseconds. A deletion, which reads
 * messages, uses the threads for look-ups. Immutable, so safe for use by many threads.
 */
record QueueChanges(String queue, StoreParts parts, StoreThreads threads) {
  /**
   * The time after which a pause fails. It is shorter than the default timeout of a blocking call,
   * 5 seconds, so that the caller receives the reason.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  /**
   * After this time, a pause waits for the lock instead of only trying to get it. Without the wait,
   * a pause may never get the lock between many short transactions.
   */
  private static final long PATIENT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long DELETE_NANOS = TimeUnit.MILLISECONDS.toNanos(JdbcCalls.LOCK_MILLIS);

  private static final long TRY_AGAIN_MILLIS = 20;

  /** Only an open transaction that has scheduled a message locks the queue for so long. */
  private static final Deletion LOCKED = new Deletion(DeleteQueueOutcome.NOT_EMPTY, 0);

  /**
   * The result of a deletion.
   *
   * @param id the number of the deleted queue, or 0 if no queue was deleted
   */
  record Deletion(DeleteQueueOutcome outcome, long id) {}

  /**
   * Pauses or resumes the queue. Fails with a {@link LockedByTransactionException} if an open
   * transaction has locked the row for 4 seconds.
   *
   * @return the queue, or empty if a queue that does not exist was resumed
   */
  CompletionStage<Optional<QueueRow>> pause(boolean paused, PauseNote note) {
    long began = System.nanoTime();
    Supplier<@Nullable Optional<QueueRow>> step =
        () -> {
          long passed = System.nanoTime() - began;
          Optional<QueueRow> row = attempt(pausing(paused, note, passed > PATIENT_NANOS));
          if (row == null && passed > PATIENT_NANOS && System.nanoTime() - began > PAUSE_NANOS) {
            throw new LockedByTransactionException(
                "Queue '"
                    + queue
                    + "' was not "
                    + (paused ? "paused" : "resumed")
                    + ": a transaction that is still open has scheduled a message of the queue, or"
                    + " the table is locked. Repeat the call when the transaction has ended");
          }
          return row;
        };
    return threads.controlInSteps(step, TRY_AGAIN_MILLIS);
  }

  private Work<Optional<QueueRow>> pausing(boolean paused, PauseNote note, boolean waits) {
    return connection -> {
      QueueRow row = parts.queues().findForPause(connection, queue, JdbcCalls.LOCK_MILLIS, waits);
      if (row == null && paused) {
        row = parts.queues().create(connection, queue, JdbcCalls.LOCK_MILLIS);
      }
      if (row != null && row.paused() != paused) {
        parts.queues().pause(connection, row, paused);
      }
      if (row != null) {
        PauseNotes.write(connection, parts.dialect(), row, paused ? note : PauseNote.NONE);
      }
      return Optional.ofNullable(row);
    };
  }

  /**
   * Sets the limits of the queue.
   *
   * @return whether the queue exists; removing limits does not create it
   */
  CompletionStage<Boolean> limit(QueueLimits limits) {
    return threads.control(
        () ->
            parts
                .transactions()
                .run(
                    connection -> {
                      QueueRow row =
                          parts
                              .queues()
                              .findForCall(connection, queue, true, JdbcCalls.LOCK_MILLIS);
                      if (row == null && !limits.equals(QueueLimits.none())) {
                        row = parts.queues().create(connection, queue, JdbcCalls.LOCK_MILLIS);
                      }
                      if (row != null) {
                        parts.queues().limit(connection, row, limits);
                      }
                      return row != null;
                    }));
  }

  /**
   * Deletes the queue if it has no messages. Expired ids are deleted before, in steps: a deletion
   * of all of them at once would lock the queue for long.
   */
  CompletionStage<Deletion> delete() {
    FinishedIdCleanup expired = new FinishedIdCleanup(queue, parts);
    AtomicLong waitedNanos = new AtomicLong();
    Supplier<@Nullable Boolean> step =
        () -> {
          long began = System.nanoTime();
          Boolean more = expired.deleteSome();
          if (more == null) {
            // At least two attempts, because one may wait for seconds on H2.
            long before = waitedNanos.getAndAdd(System.nanoTime() - began);
            return before > DELETE_NANOS ? false : null;
          }
          waitedNanos.set(0);
          return more ? null : true;
        };
    return threads
        .inSteps(step, 0)
        .thenCompose(
            done -> done ? deleteWithoutExpired() : CompletableFuture.completedStage(LOCKED));
  }

  private CompletionStage<Deletion> deleteWithoutExpired() {
    long began = System.nanoTime();
    Supplier<@Nullable Deletion> step =
        () -> {
          Deletion done = attempt(this::deletion);
          boolean isLast = System.nanoTime() - began > DELETE_NANOS;
          return done == null && isLast ? LOCKED : done;
        };
    return threads.inSteps(step, TRY_AGAIN_MILLIS);
  }

  private Deletion deletion(Connection connection) throws SQLException {
    QueueRow row = parts.queues().findForDeletion(connection, queue, JdbcCalls.LOCK_MILLIS);
    if (row == null) {
      return new Deletion(DeleteQueueOutcome.NOT_FOUND, 0);
    }
    Messages.deleteForgotten(connection, row);
    if (Messages.any(connection, row.id())) {
      return new Deletion(DeleteQueueOutcome.NOT_EMPTY, 0);
    }
    parts.queues().delete(connection, row);
    return new Deletion(DeleteQueueOutcome.DELETED, row.id());
  }

  /**
   * Runs a change in a transaction. Returns null without effect if a different transaction has
   * locked the queue.
   */
  private <T> @Nullable T attempt(Work<T> work) {
    return parts
        .transactions()
        .<@Nullable T>run(
            connection -> {
              try {
                return work.run(connection);
              } catch (SQLException e) {
                if (SqlFailures.isLockTimeout(e)) {
                  connection.rollback();
                  return null;
                }
                throw e;
              }
            });
  }
}
