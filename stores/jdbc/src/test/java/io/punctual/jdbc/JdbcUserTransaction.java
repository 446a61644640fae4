package io.punctual.jdbc;

import io.punctual.Transaction;
import io.punctual.contract.UserTransaction;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A transaction on a new connection. */
final class JdbcUserTransaction implements UserTransaction {
  private final Connection connection;
  private final JdbcTransaction transaction;

  JdbcUserTransaction(String url) throws SQLException {
    connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
    transaction = JdbcTransaction.of(connection);
  }

  Connection connection() {
    return connection;
  }

  @Override
  public Transaction transaction() {
    return transaction;
  }

  @Override
  public void commit() {
    try {
      transaction.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try (connection) {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
