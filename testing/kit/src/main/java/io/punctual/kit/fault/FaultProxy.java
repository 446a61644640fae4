package io.punctual.kit.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on a free port of the loopback interface that injects network faults. {@link #cut}
 * resets the current connections once. The other faults last until {@link #heal()}. Except for
 * {@link #refuse}, they apply to current and future connections.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to("127.0.0.1", 6379)) {
 *   ... a client of port proxy.port() ...
 *   proxy.swallow(Direction.TO_CLIENT);   // the server applies commands, their replies get lost
 *   ... until proxy.swallowedBytes(Direction.TO_CLIENT) > 0 ...
 *   proxy.heal();                         // cuts the connections whose bytes were lost
 * }
 * }</pre>
 *
 * <p>Uses four threads for each connection, so it is for tests and not for heavy load. Safe for use
 * by many threads.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int BACKLOG = 128;

  private final InetSocketAddress target;
  private final int port;
  private final Faults faults = new Faults();

  /** This object's monitor guards the following fields. */
  private final List<ProxiedConnection> connections = new ArrayList<>();

  private final List<Thread> acceptors = new ArrayList<>();
  private @Nullable ServerSocket listening;
  private @Nullable Socket placeholder;
  private long accepted;
  private boolean closed;

  private FaultProxy(InetSocketAddress target) {
    this.target = target;
    ServerSocket socket = listen(0);
    port = socket.getLocalPort();
    accept(socket);
  }

  /** Starts a proxy on a free port, with this server as its target. */
  public static FaultProxy to(String host, int port) {
    return new FaultProxy(new InetSocketAddress(host, port));
  }

  /** Returns the host that clients connect to: the loopback address. */
  public String host() {
    return InetAddress.getLoopbackAddress().getHostAddress();
  }

  /** Returns the port that clients connect to. */
  public int port() {
    return port;
  }

  /** Resets all current connections; the proxy still accepts new connections. */
  public synchronized void cut() {
    connections.forEach(ProxiedConnection::cut);
    connections.removeIf(ProxiedConnection::isOver);
  }

  /** Refuses new connections; current connections continue. */
  public void refuse() {
    if (stopListening()) {
      awaitAcceptors();
      keepPort();
    }
  }

  private synchronized boolean stopListening() {
    boolean stops = !closed && listening != null;
    if (stops) {
      close(listening);
      listening = null;
    }
    return stops;
  }

  private synchronized void keepPort() {
    if (!closed && listening == null && placeholder == null) {
      placeholder = bound();
    }
  }

  /**
   * Waits until the threads that accept connections have ended, because their socket keeps the port
   * until then.
   */
  private void awaitAcceptors() {
    List<Thread> ending;
    synchronized (this) {
      ending = List.copyOf(acceptors);
    }
    try {
      for (Thread acceptor : ending) {
        acceptor.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Swallows bytes in this direction: the connection looks half open, and neither end is notified.
   * To lose replies of applied commands, swallow {@link Direction#TO_CLIENT}.
   */
  public void swallow(Direction direction) {
    faults.swallow(direction);
  }

  /** Accepts connections and swallows everything, both ways. */
  public void blackHole() {
    faults.swallow(Direction.TO_SERVER);
    faults.swallow(Direction.TO_CLIENT);
  }

  /** Delays each byte in this direction. Later bytes can be sent while earlier bytes wait. */
  public void delay(Direction direction, Duration delay) {
    faults.delay(direction, delay.toNanos());
  }

  /**
   * Limits how many bytes a second pass in this direction on each connection.
   *
   * @param bytesPerSecond 1 or more
   */
  public void bandwidth(Direction direction, long bytesPerSecond) {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("bytesPerSecond must be positive: " + bytesPerSecond);
    }
    faults.bandwidth(direction, bytesPerSecond);
  }

  /**
   * Ends all faults. Resets the connections that lost swallowed bytes, because their streams have
   * gaps; the remaining connections continue.
   */
  public synchronized void heal() {
    for (Direction direction : Direction.values()) {
      faults.heal(direction);
    }
    connections.stream().filter(ProxiedConnection::isHoled).forEach(ProxiedConnection::cut);
    if (listening == null && !closed) {
      close(placeholder);
      placeholder = null;
      accept(listen(port));
    }
  }

  /** Returns how many connections were accepted so far, and could be connected to the server. */
  public synchronized long accepted() {
    return accepted;
  }

  /** Returns the number of open connections. */
  public synchronized int open() {
    connections.removeIf(ProxiedConnection::isOver);
    return connections.size();
  }

  /** Returns how many bytes have passed in this direction. */
  public long passedBytes(Direction direction) {
    return faults.passed(direction);
  }

  /** Returns how many bytes were swallowed in this direction. */
  public long swallowedBytes(Direction direction) {
    return faults.swallowed(direction);
  }

  private static ServerSocket listen(int port) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException("Can't listen on port " + port, e);
    }
  }

  /** Returns a socket that keeps the port but does not listen, so that connections are refused. */
  private Socket bound() {
    try {
      Socket socket = new Socket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException("Can't keep port " + port, e);
    }
  }

  private synchronized void accept(ServerSocket socket) {
    listening = socket;
    Thread acceptor = new Thread(() -> acceptAll(socket), "fault-proxy-" + port);
    acceptor.setDaemon(true);
    acceptors.removeIf(thread -> !thread.isAlive());
    acceptors.add(acceptor);
    acceptor.start();
  }

  private void acceptAll(ServerSocket socket) {
    while (!socket.isClosed()) {
      Socket client;
      try {
        client = socket.accept();
      } catch (IOException closedMeanwhile) {
        return;
      }
      connect(client);
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(target, CONNECT_MILLIS);
      start(client, server);
    } catch (IOException unreachable) {
      close(client);
      close(server);
    }
  }

  private synchronized void start(Socket client, Socket server) {
    connections.removeIf(ProxiedConnection::isOver);
    accepted++;
    ProxiedConnection connection =
        new ProxiedConnection(client, server, faults, "fault-proxy-" + port + "-" + accepted);
    connections.add(connection);
    connection.start();
    if (closed) {
      connection.cut();
    }
  }

  private static void close(java.io.@Nullable Closeable socket) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Can't close " + socket, e);
    }
  }

  /**
   * Stops listening, resets all connections, and waits until all threads have ended. A second call
   * only waits.
   */
  @Override
  public void close() {
    List<ProxiedConnection> cut;
    synchronized (this) {
      closed = true;
      close(listening);
      close(placeholder);
      cut();
    }
    awaitAcceptors();
    synchronized (this) {
      cut = List.copyOf(connections);
    }
    try {
      for (ProxiedConnection connection : cut) {
        connection.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
