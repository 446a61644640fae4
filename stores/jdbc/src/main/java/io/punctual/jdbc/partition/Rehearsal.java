package io.punctual.jdbc.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.IfPresent;
import io.punctual.QueueLimits;
import io.punctual.SettleOutcome;
import io.punctual.StoreRefusedException;
import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A transaction with the usual steps of a message, which is rolled back. It shows whether the
 * database, with its settings, runs the statements of the store and gives the right results.
 * Stateless.
 */
public final class Rehearsal {
  private static final String QUEUE = "punctual-rehearsal";
  private static final String ID = "rehearsal";
  private static final long LEASE_MILLIS = 60_000;

  private Rehearsal() {}

  /**
   * Schedules, claims and acks a message, and rolls back. After a failure, the runner of the
   * transaction rolls back.
   *
   * @throws StoreRefusedException if a statement failed, or had a wrong result
   * @throws io.punctual.StoreUnavailableException if there is no connection, or the database does
   *     not answer in time
   */
  public static void run(StoreParts parts) {
    try {
      parts.transactions().runOnce(connection -> run(connection, parts));
    } catch (SQLException e) {
      throw SqlFailures.notOpened(e);
    }
  }

  private static boolean run(Connection connection, StoreParts parts) throws SQLException {
    try {
      steps(connection, parts);
      connection.rollback();
      return true;
    } catch (SQLException e) {
      if (SqlFailures.isLockTimeout(e) || SqlFailures.isLostConnection(e)) {
        throw e;
      }
      throw new StoreRefusedException(
          "The database "
              + parts.transactions().description()
              + " can't run the statements of the store: "
              + e.getMessage()
              + parts.dialect().advice(),
          e);
    }
  }

  private static void steps(Connection connection, StoreParts parts) throws SQLException {
    QueueRow created = parts.queues().create(connection, QUEUE);
    check(
        parts.queues().find(connection, QUEUE.toUpperCase(Locale.ROOT)) == null,
        "it takes names for equal that differ in upper and lower case");
    QueueLimits limits = QueueLimits.none().concurrency(2).rate(2, Duration.ofSeconds(1), 2);
    parts.queues().limit(connection, created, limits);
    QueueRow queue = parts.queues().findAndKeep(connection, QUEUE);
    if (queue == null || !queue.limits().equals(limits)) {
      throw new SQLException("it loses the limits of a queue");
    }
    EngineTime now = new EngineTime(queue.nowMicros());
    Content content = Content.of("message".getBytes(UTF_8));
    Operation schedule = new Operation.Schedule(ID, new DueTime(false, 0), IfPresent.KEEP, content);
    parts.applying().apply(connection, queue, List.of(schedule), now);
    Reply.Claimed claimed =
        parts
            .claiming()
            .claim(
                connection,
                queue,
                new Call.Claim(1, LEASE_MILLIS),
                ID,
                new ClaimState(System::nanoTime));
    check(claimed.messages().size() == 1, "a claim finds no due message");
    Operation ack = new Operation.Ack(ID, claimed.token());
    Outcome acked = parts.applying().apply(connection, queue, List.of(ack), now).outcomes().get(0);
    check(acked.equals(new Outcome.OfSettlement(SettleOutcome.DONE)), "an ack has no effect");
  }

  private static void check(boolean isRight, String fault) throws SQLException {
    if (!isRight) {
      throw new SQLException(fault);
    }
  }
}
