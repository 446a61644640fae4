package io.punctual.server.jetty;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Notices that the client of a waiting request closes its connection: the connection becomes
 * readable. A readiness event can be stale, so the watch reads: nothing means that it waits again,
 * the end means that the client is gone, and bytes are the client's next request, which goes back
 * to the HTTP connection. The last two end the wait.
 *
 * <p>The lock of this object keeps the watch and the answer apart: after {@link #stop} the watch
 * reads nothing.
 */
final class GoneWatch implements Callback {
  private final AbstractEndPoint endPoint;
  private final Connection.UpgradeTo connection;
  private final int bufferSize;
  private final Runnable action;
  private boolean over;
  private boolean gone;

  private GoneWatch(
      AbstractEndPoint endPoint, Connection.UpgradeTo connection, int bufferSize, Runnable action) {
    this.endPoint = endPoint;
    this.connection = connection;
    this.bufferSize = bufferSize;
    this.action = action;
  }

  /** Returns whether a connection can be watched. */
  static boolean canWatch(Connection connection) {
    return connection instanceof HttpConnection
        && connection.getEndPoint() instanceof AbstractEndPoint;
  }

  /**
   * Begins to watch a connection that {@link #canWatch}. Runs the action at once if the next
   * request has arrived already.
   *
   * @param bufferSize the size in bytes of the connection's buffer for input
   */
  static GoneWatch of(Connection connection, int bufferSize, Runnable action) {
    HttpConnection http = (HttpConnection) connection;
    GoneWatch watch =
        new GoneWatch((AbstractEndPoint) http.getEndPoint(), http, bufferSize, action);
    if (!watch.begin(http.isRequestBufferEmpty())) {
      action.run();
    }
    return watch;
  }

  private synchronized boolean begin(boolean isRequestBufferEmpty) {
    over = !isRequestBufferEmpty || !endPoint.tryFillInterested(this);
    return !over;
  }

  /**
   * Ends the watch, before the answer is written. Returns whether the client is gone: its end may
   * have arrived without an event yet, and the first write to a closed connection would succeed.
   */
  synchronized boolean stop() {
    if (!over) {
      over = true;
      endPoint.getFillInterest().onFail(new Stopped());
      int unused = read();
    }
    return gone;
  }

  @Override
  public void succeeded() {
    synchronized (this) {
      if (over || isStale()) {
        return;
      }
      over = true;
    }
    action.run();
  }

  /** Reads, and returns whether there was nothing and the watch goes on. */
  private boolean isStale() {
    return read() == 0 && endPoint.tryFillInterested(this);
  }

  /** Reads, gives bytes to the HTTP connection, and returns their number, or -1 at the end. */
  private int read() {
    ByteBuffer read = BufferUtil.allocate(bufferSize);
    int length;
    try {
      length = endPoint.fill(read);
    } catch (IOException reset) {
      length = -1;
    }
    if (length > 0) {
      connection.onUpgradeTo(read);
    }
    gone |= length < 0;
    return length;
  }

  @Override
  public void failed(Throwable cause) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
    }
    action.run();
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  /** Takes the place of a failure when the watch ends by itself. */
  private static final class Stopped extends Throwable {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super("stopped", null, false, false);
    }
  }
}
