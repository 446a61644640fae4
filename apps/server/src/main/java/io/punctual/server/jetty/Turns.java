package io.punctual.server.jetty;

import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The requests that come from one connection in succession. Jetty serves a connection on the
 * selector's thread as long as its next request is there already, so that a client that is quick,
 * or sends many requests ahead, would let all others wait for seconds. Safe for use by many
 * threads, which may count a few requests too little.
 */
final class Turns {
  /** How many requests one after the other run on the selector's thread. */
  private static final int MOST = 8;

  private volatile @Nullable Connection last;
  private int requests;

  /** Counts a request; returns whether the connection should let others come first. */
  boolean isOver(Connection connection) {
    if (last != connection) {
      last = connection;
      requests = 0;
    }
    return ++requests % MOST == 0;
  }
}
