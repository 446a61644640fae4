package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.Markers;
import io.punctual.jdbc.sql.Transactions;

/** The parts that the partitions of a store share. Safe for use by many threads. */
public final class Access {
  private final Transactions transactions;
  private final Dialect dialect;
  private final Markers markers;
  private final Queues queues;
  private final Messages messages;
  private final Applying applying;
  private final Applying joining;
  private final Claiming claiming;

  public Access(Transactions transactions, Dialect dialect, Markers markers) {
    this.transactions = transactions;
    this.dialect = dialect;
    this.markers = markers;
    queues = new Queues(dialect);
    messages = new Messages(dialect);
    applying = new Applying(dialect, false);
    joining = new Applying(dialect, true);
    claiming = new Claiming(dialect);
  }

  /** Returns the object that runs transactions. */
  public Transactions transactions() {
    return transactions;
  }

  /** Returns the object that reads and writes the rows of queues. */
  public Queues queues() {
    return queues;
  }

  /** Returns the differences of the database. */
  public Dialect dialect() {
    return dialect;
  }

  Markers markers() {
    return markers;
  }

  Messages messages() {
    return messages;
  }

  /** Returns the object that executes operations in transactions of the store. */
  Applying applying() {
    return applying;
  }

  /** Returns the object that executes operations in transactions of the application. */
  Applying joining() {
    return joining;
  }

  Claiming claiming() {
    return claiming;
  }
}
