package io.punctual.jdbc.sql;

import org.jspecify.annotations.Nullable;

/**
 * The connections that a store uses until it is closed.
 *
 * @param listener receives notifications; null if there is no connection for it
 */
public record StoreConnections(
    Connections connections, @Nullable Listener listener, Runnable giveBack)
    implements AutoCloseable {
  private static final long OWN_LINGER_MILLIS = 2_000;

  /** Lends the connections of a data source that a single store owns. */
  public static StoreConnections own(Lender lender, boolean listens) {
    Connections connections = new Connections(lender);
    connections.keep(1, OWN_LINGER_MILLIS);
    return new StoreConnections(
        connections, listens ? new Listener(lender) : null, connections::close);
  }

  /**
   * Lends connections of a data source that the application uses as well, and warns if it is small.
   *
   * @param used the largest number of connections that the store uses, without listening
   * @param listens whether the store needs a listener
   */
  public static StoreConnections shared(Lender lender, int used, boolean listens) {
    return SharedPool.lend(lender, used, listens);
  }

  @Override
  public void close() {
    giveBack.run();
  }
}
