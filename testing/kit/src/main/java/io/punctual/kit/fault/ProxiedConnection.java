package io.punctual.kit.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A client's connection to the proxy, and the proxy's connection to the server. Thread-safe. */
final class ProxiedConnection {
  private final Socket client;
  private final Socket server;
  private final ProxyStream requests;
  private final ProxyStream replies;
  private final List<Thread> threads = new ArrayList<>();

  ProxiedConnection(Socket client, Socket server, Faults faults, String name) {
    this.client = client;
    this.server = server;
    requests = new ProxyStream(client, server, Direction.TO_SERVER, faults, this::cut);
    replies = new ProxyStream(server, client, Direction.TO_CLIENT, faults, this::cut);
    threads.add(thread(requests::read, name + "-requests-in"));
    threads.add(thread(requests::write, name + "-requests-out"));
    threads.add(thread(replies::read, name + "-replies-in"));
    threads.add(thread(replies::write, name + "-replies-out"));
  }

  private static Thread thread(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    threads.forEach(Thread::start);
  }

  boolean isHoled() {
    return requests.isHoled() || replies.isHoled();
  }

  boolean isOver() {
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Resets both connections and stops the threads. A second call does nothing. */
  void cut() {
    reset(client);
    reset(server);
    threads.forEach(Thread::interrupt);
  }

  private static void reset(Socket socket) {
    try {
      if (!socket.isClosed()) {
        socket.setSoLinger(true, 0);
        socket.close();
      }
    } catch (IOException e) {
      close(socket);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Can't close " + socket, e);
    }
  }

  void join() throws InterruptedException {
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()) {
        thread.join();
      }
    }
  }
}
