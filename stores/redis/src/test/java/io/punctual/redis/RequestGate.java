package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the requests of clients to a server, and runs an action before it forwards a certain
 * request. So a test can change the server's data between two requests of a client.
 */
final class RequestGate implements AutoCloseable {
  private final ServerSocket listening;
  private final int port;

  /** The action that is still to run, or null. */
  private volatile @Nullable Before before;

  private record Before(Predicate<List<String>> request, Runnable action) {}

  RequestGate(int port) {
    this.port = port;
    try {
      listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  String url() {
    return "redis://127.0.0.1:" + listening.getLocalPort();
  }

  /**
   * Runs an action once, before the server receives the first request whose words {@code request}
   * accepts.
   */
  void before(Predicate<List<String>> request, Runnable action) {
    before = new Before(request, action);
  }

  boolean hasRun() {
    return before == null;
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "request-gate");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        start(() -> forwardReplies(server, client));
        start(() -> forwardRequests(client, server));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static void forwardReplies(Socket server, Socket client) {
    try (client) {
      server.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException gone) {
      // One side has closed the connection, so the other side is closed as well.
    }
  }

  private void forwardRequests(Socket client, Socket server) {
    try (client;
        server;
        DataInputStream in =
            new DataInputStream(new BufferedInputStream(client.getInputStream()))) {
      OutputStream out = server.getOutputStream();
      for (String size = line(in); !size.isEmpty(); size = line(in)) {
        List<String> words = new ArrayList<>();
        StringBuilder request = new StringBuilder(size).append("\r\n");
        for (int left = number(size); left > 0; left--) {
          String length = line(in);
          String word = new String(in.readNBytes(number(length)), ISO_8859_1);
          in.skipNBytes(2);
          words.add(word);
          request.append(length).append("\r\n").append(word).append("\r\n");
        }
        act(words);
        out.write(request.toString().getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      // One side has closed the connection, so the other side is closed as well.
    }
  }

  private void act(List<String> words) {
    Before next = before;
    if (next != null && next.request.test(words)) {
      next.action.run();
      before = null;
    }
  }

  private static int number(String line) {
    return Integer.parseInt(line.substring(1));
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0 && next != '\r'; next = in.read()) {
      line.append((char) next);
    }
    in.read();
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
