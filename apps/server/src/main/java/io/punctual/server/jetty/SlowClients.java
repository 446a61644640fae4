package io.punctual.server.jetty;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the connections that need too long for a handshake, the head of a request, or a body. Looks
 * at all connections once a second.
 */
final class SlowClients extends AbstractLifeCycle implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SlowClients.class);
  private static final String NO_CIPHER = "SSL_NULL_WITH_NULL_NULL";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ServerConnector connector;
  private final ExchangeHandler handler;
  private final Duration headTime;
  private final long bytesPerSecond;
  private final LookTime time = new LookTime(System.nanoTime());
  private Map<Connection, Head> unfinished = new HashMap<>();
  private Scheduler.@Nullable Task next;

  SlowClients(
      ServerConnector connector, ExchangeHandler handler, Duration headTime, long bytesPerSecond) {
    this.connector = connector;
    this.handler = handler;
    this.headTime = headTime;
    this.bytesPerSecond = bytesPerSecond;
  }

  @Override
  protected void doStart() {
    schedule();
  }

  @Override
  protected synchronized void doStop() {
    if (next != null) {
      next.cancel();
    }
  }

  /** Tries again after a lack of memory, since nothing else would look again. */
  private void schedule() {
    while (isRunning() && !isPlanned()) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private synchronized boolean isPlanned() {
    try {
      next = connector.getScheduler().schedule(this, 1, TimeUnit.SECONDS);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  @Override
  public void run() {
    try {
      look();
    } catch (RuntimeException | Error e) {
      LOG.warn("The look for slow clients failed; the next is in a second", e);
    } finally {
      schedule();
    }
  }

  private void look() {
    Map<Connection, Head> seen = new HashMap<>();
    long now = time.look(System.nanoTime());
    for (EndPoint endPoint : connector.getConnectedEndPoints()) {
      Connection connection = innermost(endPoint.getConnection());
      if (isUnfinished(connection)) {
        Head head = unfinished.get(connection);
        long requests = connection.getMessagesIn();
        if (head == null || head.requests != requests) {
          head = new Head(requests, now);
        }
        if (now - head.since > headTime.toNanos()) {
          endPoint.close();
        } else {
          seen.put(connection, head);
        }
      }
    }
    unfinished = seen;
    handler.reading().forEach(one -> one.endIfSlow(now, bytesPerSecond, headTime.toNanos()));
  }

  /**
   * Returns the HTTP connection, or one of TLS whose handshake has not ended. Asks the engine,
   * because the connection would keep the data of a session that has no certificate yet.
   */
  private static Connection innermost(Connection connection) {
    return connection instanceof SslConnection tls
            && !tls.getSSLEngine().getSession().getCipherSuite().equals(NO_CIPHER)
        ? tls.getSslEndPoint().getConnection()
        : connection;
  }

  private static boolean isUnfinished(Connection connection) {
    return connection instanceof HttpConnection http
        ? http.getParser().inHeaderState() && !http.getParser().isStart()
        : connection instanceof SslConnection;
  }

  /**
   * @param requests the number of requests before this one
   * @param since when its head was first seen unfinished
   */
  private record Head(long requests, long since) {}
}
