package io.punctual.server.jetty;

import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that a thread serves in succession. Jetty serves a connection on
 * the selector's thread as long as its next request is there already, so that a client that is
 * quick, or sends many requests ahead, would let all others wait for seconds. Safe for use by many
 * threads.
 */
final class Turns {
  /** How many requests one after the other run on one thread. */
  private static final int MOST = 8;

  private final ThreadLocal<Turn> turns = ThreadLocal.withInitial(Turn::new);

  private static final class Turn {
    private @Nullable Connection connection;
    private int requests;
  }

  /** Counts a request of the thread; returns whether another thread should serve it. */
  boolean isOver(Connection connection) {
    Turn turn = turns.get();
    if (turn.connection != connection) {
      turn.connection = connection;
      turn.requests = 0;
    }
    return ++turn.requests % MOST == 0;
  }
}
