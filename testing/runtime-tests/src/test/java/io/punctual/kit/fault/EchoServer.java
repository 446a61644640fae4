package io.punctual.kit.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A server that sends back all bytes that it receives. */
final class EchoServer implements AutoCloseable {
  final AtomicLong received = new AtomicLong();
  final AtomicInteger connected = new AtomicInteger();
  final AtomicInteger ended = new AtomicInteger();
  private final ServerSocket listening;
  private final Thread acceptor;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  EchoServer() throws IOException {
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    acceptor = start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "echo");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        sockets.add(socket);
        connected.incrementAndGet();
        Thread unused = start(() -> echo(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void echo(Socket socket) {
    byte[] buffer = new byte[4096];
    try (socket) {
      for (int n = socket.getInputStream().read(buffer);
          n >= 0;
          n = socket.getInputStream().read(buffer)) {
        received.addAndGet(n);
        socket.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException reset) {
      // A reset ends the connection like a regular close.
    } finally {
      ended.incrementAndGet();
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
