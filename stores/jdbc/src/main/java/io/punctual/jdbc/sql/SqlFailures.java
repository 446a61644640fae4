package io.punctual.jdbc.sql;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Partition;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Classifies failures of statements by SQLSTATE, or by the error codes of MariaDB and MySQL. */
public final class SqlFailures {
  /** The SQLSTATEs of lock timeouts, and of rows that a different transaction inserted first. */
  private static final Set<String> CONFLICTS = Set.of("HYT00", "55P03", "23505", "23000");

  private static final Set<String> LOCK_TIMEOUTS = Set.of("HYT00", "55P03");

  /**
   * The classes of SQLSTATEs for invalid statements, missing tables and permissions, invalid
   * values, unsupported features, and wrong credentials.
   */
  private static final Set<String> REFUSALS = Set.of("42", "22", "0A", "3F", "3D", "28");

  /** The classes of SQLSTATEs for invalid values, existing rows, and limits of the database. */
  private static final Set<String> VALUES = Set.of("22", "23", "54");

  /** The codes of MariaDB and MySQL for a packet that is too large. */
  private static final Set<Integer> VALUE_CODES = Set.of(1153);

  /**
   * The SQLSTATEs for a prepared statement that is missing, or whose name a different client has
   * already used.
   */
  private static final Set<String> NOT_PREPARED = Set.of("26000", "42P05");

  /** The codes of MariaDB and MySQL for a lock timeout, and for a lock that NOWAIT did not get. */
  private static final Set<Integer> LOCK_TIMEOUT_CODES = Set.of(1205, 3572);

  /** The code of MariaDB for a row that changed after the snapshot of the transaction. */
  private static final int CHANGED_SINCE_SNAPSHOT = 1020;

  /**
   * The codes of MariaDB and MySQL for a packet that is too large, and for a binary log whose
   * format does not allow READ COMMITTED.
   */
  private static final Set<Integer> REFUSAL_CODES = Set.of(1153, 1665);

  /** The codes of MariaDB and MySQL for a user with too many connections or too many requests. */
  private static final Set<Integer> EXHAUSTED_CODES = Set.of(1203, 1226);

  /**
   * The SQLSTATEs of H2 for an unknown option, a right that the user lacks, a URL that is not one
   * of H2, and a relative path.
   */
  private static final Set<String> H2_REFUSALS = Set.of("90113", "90096", "90046", "90011");

  private static final int H2_GENERAL_ERROR = 50000;
  private static final String H2_ENDED_TRANSACTION = "org.h2.mvstore.tx.Transaction.getStatus";

  private SqlFailures() {}

  /** Returns whether the transaction failed because of a conflict with a different transaction. */
  static boolean isConflict(SQLException failure) {
    String state = state(failure);
    return state.startsWith("40")
        || CONFLICTS.contains(state)
        || isLockTimeout(failure)
        || failure.getErrorCode() == CHANGED_SINCE_SNAPSHOT
        || isRaceInH2(failure);
  }

  /**
   * Returns whether H2 failed to list its sessions, which the store's clock reads, because one of
   * them ended its transaction meanwhile.
   */
  private static boolean isRaceInH2(SQLException failure) {
    return failure.getErrorCode() == H2_GENERAL_ERROR
        && String.valueOf(failure.getMessage()).contains(H2_ENDED_TRANSACTION);
  }

  /**
   * Returns whether the database rolled the transaction back, because of a deadlock or the like.
   */
  static boolean isDeadlock(SQLException failure) {
    return state(failure).startsWith("40") && !(failure instanceof ConflictException);
  }

  /**
   * Returns whether the transaction failed because a row changed after the transaction's snapshot,
   * which the isolation level does not allow. On some databases a deadlock has the same SQLSTATE,
   * but a different error code.
   */
  public static boolean isChangedSinceSnapshot(SQLException failure) {
    return failure.getErrorCode() == CHANGED_SINCE_SNAPSHOT
        || (state(failure).equals("40001")
            && failure.getErrorCode() == 0
            && !(failure instanceof ConflictException));
  }

  /** Returns whether an INSERT failed because the row exists. */
  public static boolean isDuplicate(SQLException failure) {
    return state(failure).startsWith("23");
  }

  /** Returns whether a failed commit was certainly rolled back. */
  static boolean isRolledBack(SQLException failure) {
    String state = state(failure);
    return (state.startsWith("40") && !state.equals("40003")) || state.startsWith("23");
  }

  /** Returns whether the database will refuse the same statement again until the cause is fixed. */
  static boolean isRefusal(SQLException failure) {
    String state = state(failure);
    int code = failure.getErrorCode();
    if (EXHAUSTED_CODES.contains(code)) {
      return false;
    }
    return H2_REFUSALS.contains(state)
        || REFUSAL_CODES.contains(code)
        || (state.length() > 1 && REFUSALS.contains(state.substring(0, 2)));
  }

  /**
   * Returns whether a failure is neither a conflict nor the refusal of a value, so that it may be a
   * fault of the connection.
   */
  static boolean mayBeOfConnection(SQLException failure) {
    String state = state(failure);
    return !isConflict(failure)
        && (state.length() < 2 || !VALUES.contains(state.substring(0, 2)))
        && !VALUE_CODES.contains(failure.getErrorCode());
  }

  /** Returns whether the connection is lost. */
  public static boolean isLostConnection(SQLException failure) {
    return state(failure).startsWith("08")
        || failure instanceof SQLNonTransientConnectionException
        || failure instanceof SQLTransientConnectionException
        || failure instanceof SQLRecoverableException;
  }

  /**
   * Returns whether a prepared statement is missing, as behind a pooler. The caller must learn of
   * it, although a new connection may work for a while.
   */
  static boolean isNotPrepared(SQLException failure) {
    return NOT_PREPARED.contains(state(failure));
  }

  /** Returns the exception for a store that could not be opened. */
  public static PunctualException notOpened(SQLException failure) {
    String message = "The database can't be opened: " + reason(failure);
    return isRefusal(failure)
        ? new StoreRefusedException(message, failure)
        : new StoreUnavailableException(message, failure);
  }

  /**
   * Returns whether a statement did not get a lock, because a different transaction held it for the
   * whole wait, or because the statement does not wait.
   */
  public static boolean isLockTimeout(SQLException failure) {
    return LOCK_TIMEOUTS.contains(state(failure))
        || LOCK_TIMEOUT_CODES.contains(failure.getErrorCode());
  }

  /** Returns the exception for a transaction that was certainly not committed. */
  public static PunctualException notDone(String store, SQLException failure) {
    String message = store + " refused a transaction: " + reason(failure);
    return isRefusal(failure)
        ? new Partition.PartitionException(message, failure)
        : new Partition.NotSentException(message, failure);
  }

  /** Returns the exception for a commit that got no reply and was rolled back. */
  static PunctualException rolledBack(String store, SQLException failure) {
    String message = store + " rolled back a transaction without a reply: " + reason(failure);
    return new Partition.NotSentException(message, failure);
  }

  /** Returns the exception for a transaction that may or may not have been committed. */
  static PunctualException unknown(String store, SQLException failure) {
    return new PunctualException(
        store + " lost the connection during a commit: " + reason(failure), failure);
  }

  /**
   * Returns the message of the driver, which a pool may wrap in an exception with its own message.
   */
  private static String reason(SQLException failure) {
    SQLException first = failure;
    while (first.getCause() instanceof SQLException cause) {
      first = cause;
    }
    String message = String.valueOf(first.getMessage());
    return isNotPrepared(first)
        ? message + ". Behind a pooler such as PgBouncer, set prepareThreshold=0 in the URL"
        : message;
  }

  private static String state(SQLException failure) {
    @Nullable String state = failure.getSQLState();
    return state == null ? "" : state;
  }
}
