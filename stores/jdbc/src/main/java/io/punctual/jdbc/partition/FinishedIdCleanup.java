package io.punctual.jdbc.partition;

import io.punctual.PunctualException;
import io.punctual.embedded.Place;
import io.punctual.internal.log.Logs;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Deletes the rows of finished messages whose ids no longer have to be remembered, in a separate
 * transaction after some of the calls. Other statements ignore these rows, so a failure only delays
 * their deletion. Each deletion can delete more ids than were remembered since the last deletion,
 * so that the number of rows does not grow. Safe for use by many threads; the executor runs one
 * task at a time.
 */
final class FinishedIdCleanup {
  private static final Logger log = Logs.of(FinishedIdCleanup.class);

  /** The number of remembered ids after which rows are deleted. */
  private static final int MANY = Partition.MAX_OPERATIONS / 2;

  private static final int MOST = 2 * Partition.MAX_OPERATIONS;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long IDLE_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int LOCK_MILLIS = 20;

  private final String queue;
  private final StoreParts parts;
  private final Messages messages;
  private final InTimeOrder order;

  /** The number of ids that this client has remembered since the last deletion. */
  private final AtomicLong remembered = new AtomicLong();

  private final AtomicBoolean isSubmitted = new AtomicBoolean();
  private volatile boolean restarts;
  private volatile boolean moreAreOver;
  private volatile long lastNanos = System.nanoTime() - IDLE_PAUSE_NANOS;

  /**
   * The position up to which this client has deleted the rows. The search begins there, because the
   * index still has the entries of deleted rows until a vacuum removes them.
   */
  private Position over = Position.START;

  FinishedIdCleanup(String queue, StoreParts parts) {
    this.queue = queue;
    this.parts = parts;
    messages = new Messages(parts.dialect());
    order = new InTimeOrder(parts.dialect(), "id, at_millis");
  }

  /** Notes the operations of a call or a transaction. */
  void executed(List<Operation> operations) {
    remembered.addAndGet(operations.stream().filter(FinishedIdCleanup::isRemembering).count());
  }

  /**
   * Submits {@link #run} if enough ids were remembered or enough time has passed since the last
   * deletion, and if none is submitted. If there is no thread for it, a later call tries again.
   */
  void submitIfDue(Executor executor) {
    long elapsed = System.nanoTime() - lastNanos;
    boolean isTime =
        remembered.get() >= MANY
            || ((remembered.get() > 0 || moreAreOver) && elapsed > PAUSE_NANOS)
            || elapsed > IDLE_PAUSE_NANOS;
    if (isTime && isSubmitted.compareAndSet(false, true)) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException | Error e) {
        isSubmitted.set(false);
        log.debug("Expired ids of queue '{}' are not deleted now", queue, e);
      }
    }
  }

  /** Deletes rows. */
  private void run() {
    remembered.set(0);
    lastNanos = System.nanoTime();
    if (restarts) {
      restarts = false;
      over = Position.START;
    }
    try {
      forget();
    } finally {
      isSubmitted.set(false);
    }
  }

  static boolean isRemembering(Operation operation) {
    return operation instanceof Operation.Remember
        || (operation instanceof Operation.Ack ack && ack.rememberMillis() > 0);
  }

  /** Makes the next search begin at the first row. */
  void restart() {
    restarts = true;
  }

  private void forget() {
    try {
      Boolean unused = deleteSome();
    } catch (PunctualException e) {
      log.debug("Expired ids of queue '{}' were not deleted; a later call tries again", queue, e);
    }
  }

  /**
   * Deletes a limited number of rows in a transaction. Returns whether there can be more, or null
   * if a different transaction has locked the queue or the table.
   */
  @Nullable Boolean deleteSome() {
    return parts
        .transactions()
        .<@Nullable Boolean>run(
            connection -> {
              try {
                return deleteSome(connection);
              } catch (SQLException e) {
                if (!SqlFailures.isLockTimeout(e)) {
                  throw e;
                }
                connection.rollback();
                return null;
              }
            });
  }

  private boolean deleteSome(Connection connection) throws SQLException {
    QueueRow row = parts.queues().findForPurge(connection, queue, LOCK_MILLIS);
    if (row == null) {
      return false;
    }
    long now = Math.floorDiv(row.nowMicros(), 1000);
    if (now < over.millis()) {
      // The database's clock has stepped back, so ids expire again at times before the position.
      over = Position.START;
    }
    List<Position> found = new ArrayList<>();
    order.read(
        connection,
        row.id(),
        Messages.code(Place.FINISHED),
        over,
        now,
        MOST,
        parts.dialect().lockCandidates(),
        each -> found.add(new Position(each.getLong(2), each.getBytes(1))));
    messages.delete(connection, row.id(), found.stream().map(Position::id).toList());
    moreAreOver = found.size() == MOST;
    over = moreAreOver ? found.get(MOST - 1) : Position.before(now);
    return moreAreOver;
  }
}
