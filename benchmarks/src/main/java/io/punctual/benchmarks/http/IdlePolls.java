package io.punctual.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What a server costs that has just started, and while polls wait for nothing. */
final class IdlePolls {
  private static final String BODY = "{\"max\":10,\"wait\":\"60s\"}";
  private static final byte[] POLL =
      ("POST /v1/queues/idle/claims HTTP/1.1\r\nHost: localhost\r\n"
              + "Content-Type: application/json\r\nContent-Length: "
              + BODY.length()
              + "\r\n\r\n"
              + BODY)
          .getBytes(UTF_8);

  /** So long, a young server still compiles what the polls have run. */
  private static final int SETTLE_SECONDS = 15;

  private final int number;
  private final int seconds;

  private record Memory(double resident, double heap) {
    static Memory of(Child server) throws IOException {
      server.tell();
      String[] parts = server.expect().split(" ", -1);
      return new Memory(
          Double.parseDouble(parts[0]) / 1024, Double.parseDouble(parts[1]) / (1 << 20));
    }
  }

  /**
   * Creates the measurement.
   *
   * @param number the number of polls
   * @param seconds how long they wait, at most 30
   */
  IdlePolls(int number, int seconds) {
    this.number = number;
    this.seconds = seconds;
  }

  TrialOutcome measure(String store) throws IOException, InterruptedException {
    List<String> options = List.of("-XX:+UseSerialGC", "-Xmx512m");
    List<Socket> polls = new ArrayList<>();
    try (Child server = Child.start(HttpServerChild.class, options, store)) {
      int port = Integer.parseInt(server.expect());
      double started = server.cpuSeconds();
      Memory empty = Memory.of(server);
      for (int i = 0; i < number; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        polls.add(socket);
        socket.getOutputStream().write(POLL);
      }
      TimeUnit.SECONDS.sleep(2);
      Memory first = Memory.of(server);
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      double cpu = server.cpuSeconds();
      TimeUnit.SECONDS.sleep(seconds);
      double share = (server.cpuSeconds() - cpu) / seconds * 100;
      String waiting = String.format(Locale.ROOT, "%,d idle polls", number);
      return TrialOutcome.of(
          Sample.cost("start, processor time", "s", started),
          Sample.cost("start, memory of the process", "MiB", empty.resident()),
          Sample.cost(waiting + ", heap", "MiB", first.heap() - empty.heap()),
          Sample.cost(waiting + ", memory of the process", "MiB", first.resident()),
          Sample.cost(waiting + ", share of a core", "%", share));
    } finally {
      for (Socket each : polls) {
        each.close();
      }
    }
  }
}
