package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.CallMarkers;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.TransactionRunner;

/** The parts that the partitions of a store share. Safe for use by many threads. */
public final class StoreParts {
  private final TransactionRunner transactions;
  private final Dialect dialect;
  private final CallMarkers markers;
  private final Queues queues;
  private final Messages messages;
  private final Applying applying;
  private final Applying joining;
  private final Claiming claiming;

  public StoreParts(TransactionRunner transactions, Dialect dialect, CallMarkers markers) {
    this.transactions = transactions;
    this.dialect = dialect;
    this.markers = markers;
    queues = new Queues(dialect);
    messages = new Messages(dialect);
    applying = new Applying(dialect, false);
    joining = new Applying(dialect, true);
    claiming = new Claiming(dialect);
  }

  public TransactionRunner transactions() {
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

  CallMarkers markers() {
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
