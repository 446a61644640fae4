package io.punctual.httpstore;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands before a server, and closes a kept connection exactly when the next request arrives on it,
 * as servers and proxies do that close idle connections, restart, or limit the requests of a
 * connection. Thread-safe.
 */
final class ClosingFront implements AutoCloseable {
  /** The fate of a request whose connection closes when the request arrives. */
  enum Manner {
    /** It is read, and the connection ends with a FIN. */
    END,
    /** The connection ends with a RST. */
    RESET,
    /** The server executes it, and its answer is lost. */
    EXECUTE
  }

  private final ServerSocket listening;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger closings = new AtomicInteger();
  private volatile Manner manner = Manner.END;
  private volatile boolean asks = true;

  private ClosingFront(int target) {
    this.target = target;
    try {
      listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  static ClosingFront of(int port) {
    return new ClosingFront(port);
  }

  String url() {
    return "http://127.0.0.1:" + listening.getLocalPort();
  }

  /** Closes connections on the arrival of the next requests on kept connections. */
  void close(int requests, Manner how) {
    manner = how;
    closings.set(requests);
  }

  /** No longer asks for the body of a request that expects the question. */
  void neverAsk() {
    asks = false;
  }

  /** Returns how many closings are still to come. */
  int closings() {
    return closings.get();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "closing-front");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        sockets.add(socket);
        start(() -> serve(socket));
      } catch (IOException ended) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      socket.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      for (boolean isKept = false; ; isKept = true) {
        int first = in.read();
        if (first < 0) {
          return;
        }
        boolean closes = isKept && closings.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        if (closes && manner == Manner.RESET) {
          socket.setSoLinger(true, 0);
          return;
        }
        byte[] head = head(first, in);
        if (closes && manner == Manner.END) {
          return;
        }
        if (asks && text(head).contains("expect: 100-continue")) {
          socket
              .getOutputStream()
              .write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        byte[] request = withBody(head, in);
        InputStream answers = server.getInputStream();
        server.getOutputStream().write(request);
        byte[] answer = head(answers.read(), answers);
        while (text(answer).startsWith("http/1.1 100")) {
          answer = head(answers.read(), answers);
        }
        answer = withBody(answer, answers);
        if (closes) {
          return;
        }
        socket.getOutputStream().write(answer);
      }
    } catch (IOException ended) {
      // The next connection has its own thread.
    } finally {
      sockets.remove(socket);
    }
  }

  private static byte[] head(int first, InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.write(first);
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("ended");
      }
      head.write(next);
    }
    return head.toByteArray();
  }

  private static String text(byte[] head) {
    return new String(head, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
  }

  private static byte[] withBody(byte[] head, InputStream in) throws IOException {
    String length =
        text(head)
            .lines()
            .filter(line -> line.startsWith("content-length:"))
            .findFirst()
            .orElseThrow();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(head);
    all.write(in.readNBytes(Integer.parseInt(length.substring(15).strip())));
    return all.toByteArray();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket each : sockets) {
      each.close();
    }
  }
}
