package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A plain counter that contenders increment by a read and a later write. Between the two, no other
 * contender may read or write. The resource refuses a read whose fencing token is not above all
 * earlier tokens, and a write whose token is not the highest. It counts these refusals, and the
 * overlaps of two contenders. Other processes reach the resource on a port. Thread-safe.
 */
final class GuardedResource implements AutoCloseable {
  static final long REFUSED = -1;

  private final ServerSocket socket;
  private long counter;
  private long highest;
  private long inside;
  private long accepted;
  private long refused;
  private long overlaps;

  GuardedResource() {
    try {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread acceptor = new Thread(this::acceptAll);
    acceptor.setDaemon(true);
    acceptor.start();
  }

  int port() {
    return socket.getLocalPort();
  }

  /** Reads the counter, or returns {@link #REFUSED} if the token is too low. */
  synchronized long begin(long token) {
    if (token <= highest) {
      refused++;
      return REFUSED;
    }
    if (inside != 0) {
      overlaps++;
    }
    highest = token;
    inside = token;
    return counter;
  }

  /** Writes the counter, or returns false if the token is too low. */
  synchronized boolean end(long token, long value) {
    if (token < highest) {
      refused++;
      return false;
    }
    inside = 0;
    counter = value;
    accepted++;
    return true;
  }

  /** Forgets a contender that is between its read and its write, after its connection has ended. */
  private synchronized void gone(long token) {
    if (inside == token) {
      inside = 0;
    }
  }

  /** Returns whether the counter includes every accepted increment. */
  synchronized boolean isWhole() {
    return counter == accepted;
  }

  synchronized long accepted() {
    return accepted;
  }

  synchronized long refused() {
    return refused;
  }

  synchronized long overlaps() {
    return overlaps;
  }

  synchronized long inside() {
    return inside;
  }

  private void acceptAll() {
    while (!socket.isClosed()) {
      try {
        Socket one = socket.accept();
        Thread server = new Thread(() -> serve(one));
        server.setDaemon(true);
        server.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket one) {
    long last = 0;
    try (one;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(one.getInputStream(), US_ASCII));
        PrintWriter out = new PrintWriter(one.getOutputStream(), true, US_ASCII)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        last = Long.parseLong(words[1]);
        out.println(
            words[0].equals("begin")
                ? begin(last)
                : end(last, Long.parseLong(words[2])) ? 1 : REFUSED);
      }
    } catch (IOException killed) {
      // The connection of a killed process may be reset, which counts as a close.
    }
    gone(last);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The client of the resource in a different process. Not thread-safe. */
  static final class Remote implements Counter {
    private final BufferedReader in;
    private final PrintWriter out;

    Remote(int port) throws IOException {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      out = new PrintWriter(socket.getOutputStream(), true, US_ASCII);
    }

    @Override
    public long begin(long token) {
      return ask("begin " + token);
    }

    @Override
    public boolean end(long token, long value) {
      return ask("end " + token + " " + value) != REFUSED;
    }

    private long ask(String line) {
      out.println(line);
      try {
        return Long.parseLong(in.readLine());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The operations of the resource that contenders use. */
  interface Counter {
    long begin(long token);

    boolean end(long token, long value);
  }
}
