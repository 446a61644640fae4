package io.punctual.kit.database;

import java.sql.SQLException;

/**
 * An empty database for a test class, on a server that several test classes share.
 *
 * @param server the server, which no test may kill
 */
record SharedServer(TestServer server, String jdbcUrl) implements TestServer {
  @Override
  public void kill() {
    throw new UnsupportedOperationException("Other tests use the server: start another server");
  }

  @Override
  public void launch() {
    throw new UnsupportedOperationException("The server runs");
  }

  @Override
  public void awaitRefusedLock(TestServer database) throws SQLException {
    server.awaitRefusedLock(database);
  }

  @Override
  public void close() {}
}
