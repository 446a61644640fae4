package io.punctual.webhook;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A receiver of webhooks on the loopback interface, which answers byte by byte as a test says. */
final class Receiver implements AutoCloseable {
  private final ServerSocket server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final List<String> connectedTo = new CopyOnWriteArrayList<>();
  private volatile Behaviour behaviour;

  /** A request; the names of the headers are in small letters. */
  record Request(String line, Map<String, String> headers, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  /** Answers a request. */
  @FunctionalInterface
  interface Behaviour {
    void answer(Request request, OutputStream out, Socket socket) throws Exception;
  }

  Receiver(Behaviour behaviour) {
    this(behaviour, InetAddress.getLoopbackAddress());
  }

  private Receiver(Behaviour behaviour, @Nullable InetAddress address) {
    this.behaviour = behaviour;
    try {
      server = new ServerSocket(0, 1000, address);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    start("receiver", this::accept);
  }

  /** A receiver on all addresses of this machine. */
  static Receiver everywhere(Behaviour behaviour) {
    return new Receiver(behaviour, null);
  }

  static Behaviour answering(int status, String... headers) {
    return (request, out, socket) -> write(out, status, "", headers);
  }

  static void write(OutputStream out, int status, String body, String... headers)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " X\r\n");
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    out.write(bytes);
    out.flush();
  }

  void answer(Behaviour next) {
    behaviour = next;
  }

  int port() {
    return server.getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port() + "/hook";
  }

  List<Request> requests() {
    return requests;
  }

  /** Returns the addresses that clients have connected to. */
  List<String> connectedTo() {
    return connectedTo;
  }

  Receiver awaitRequests(int number) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> requests.size() >= number);
    return this;
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connectedTo.add(socket.getLocalAddress().getHostAddress());
        sockets.add(socket);
        start("receiver-connection", () -> serve(socket));
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      while (true) {
        Request request = read(in);
        if (request == null) {
          return;
        }
        requests.add(request);
        behaviour.answer(request, out, socket);
      }
    } catch (Exception e) {
      // The client or the test has ended the connection.
    } finally {
      sockets.remove(socket);
    }
  }

  private static @Nullable Request read(InputStream in) throws IOException {
    String line = line(in);
    if (line.isEmpty()) {
      return null;
    }
    Map<String, String> headers = new TreeMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers.merge(
          header.substring(0, colon).toLowerCase(Locale.ROOT),
          header.substring(colon + 1).strip(),
          (one, other) -> one + ", " + other);
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    return new Request(line, headers, in.readNBytes(length));
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Closeable socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
