package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Punctual;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.Terminal;
import io.punctual.server.PunctualServer;
import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the main paths of the command once: some commands, of which one can't reach its Redis, the
 * demo, and a server with its warm-up. The launcher makes its archive from the classes that this
 * run loads.
 */
final class Rehearsal {
  private static final String QUEUE = "/v1/queues/rehearsal";
  private static final Duration WAIT = Duration.ofMillis(50);

  /** The exit code that tells the launcher to try again at the next start. */
  private static final int TOO_LONG = 75;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private Rehearsal() {}

  public static void main(String[] args) throws IOException, ClassNotFoundException {
    endAfter(LIMIT);
    Class<?> unused = Class.forName("io.punctual.cli.Main");
    run("--help");
    run("--store", "redis://127.0.0.1:1", "queues");
    run("--store", "memory:", "schedule", "rehearsal", "Hello", "--in", "1h");
    run("--store", "memory:", "queues");
    run("--store", "memory:", "doctor", "rehearsal");
    run("demo", "--messages", "100", "--within", "1s");
    run("server", "--check");
    ServerConfig.Options options = new ServerConfig.Options(null, "memory:", null, null, 0);
    try (PunctualServer server = PunctualServer.startAndWarmUp(options, Map.of())) {
      callServer(server.address().getPort());
    }
    System.exit(0);
  }

  /** The command of the user waits for this one, which only makes the next ones faster. */
  private static void endAfter(Duration limit) {
    Thread guard =
        new Thread(
            () -> {
              long end = System.nanoTime() + limit.toNanos();
              while (end - System.nanoTime() > 0) {
                LockSupport.parkNanos(end - System.nanoTime());
              }
              Runtime.getRuntime().halt(TOO_LONG);
            },
            "punctual-rehearsal-limit");
    guard.setDaemon(true);
    guard.start();
  }

  private static void run(String... command) {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new Stdout(OutputStream.nullOutputStream()),
            new PrintWriter(OutputStream.nullOutputStream(), false, UTF_8),
            Terminal.NONE,
            Map.of(),
            Punctual::open,
            new Stop());
    int unused = PunctualCommand.run(console, command);
  }

  /** The warm-up of the server passes messages through. */
  private static void callServer(int port) throws IOException {
    while (!get(port, "/readyz").startsWith("HTTP/1.1 200")) {
      LockSupport.parkNanos(WAIT.toNanos());
    }
    String unused = call(port, "POST " + QUEUE + "/messages", "{\"payload\":\"x\"}");
    for (String page : new String[] {"/v1/queues", QUEUE, "/console/", "/metrics"}) {
      unused = get(port, page);
    }
  }

  private static String get(int port, String path) throws IOException {
    return call(port, "GET " + path, "");
  }

  private static String call(int port, String methodAndPath, String body) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String head =
          methodAndPath
              + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
              + "Content-Type: application/json\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n";
      socket.getOutputStream().write((head + body).getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
