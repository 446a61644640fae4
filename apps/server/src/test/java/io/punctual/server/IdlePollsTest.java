package io.punctual.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server with thousands of connections and polls that wait for nothing. {@code
 * -Dpunctual.idle.minutes=60} sets how long. The log has the heap and the processor time.
 */
final class IdlePollsTest {
  private static final Logger log = LoggerFactory.getLogger(IdlePollsTest.class);
  private static final int MINUTES = Integer.getInteger("punctual.idle.minutes", 1);
  private static final String LIMITS =
      "limits: {pollsPerCaller: 20000, requestsPerCaller: 20000, connections: 20000}";
  private static final int KILOBYTES_A_POLL = 20;
  private static final long SLACK = 10 << 20;

  private final int port = FreePorts.next();
  private final List<RawClient> clients = new ArrayList<>();
  private int measured;

  @TempDir private Path folder;

  private JavaProcess serve() {
    return JavaProcess.of(ServerMain.class)
        .options("-XX:+UseSerialGC", "-Xmx512m")
        .arguments(
            "memory:",
            Integer.toString(port),
            TestServer.write(folder.resolve("punctual.yaml"), LIMITS).toString())
        .ready("ready")
        .start();
  }

  @AfterEach
  void close() throws IOException {
    for (RawClient client : clients) {
      client.close();
    }
  }

  private long heap(JavaProcess server) {
    server.write("heap\n");
    String line = server.awaitLines("heap ", ++measured).get(measured - 1);
    return Long.parseLong(line.substring("heap ".length()));
  }

  private static void poll(RawClient client, String wait) throws IOException {
    String body = "{\"max\":10,\"wait\":\"" + wait + "\"}";
    client.send(
        "POST /v1/queues/idle/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
  }

  private void connect(int number) throws IOException {
    while (clients.size() < number) {
      clients.add(RawClient.connect(port));
    }
  }

  private void repeat(String wait) throws IOException {
    for (RawClient client : clients) {
      assertThat(client.reply().text()).contains("\"deliveries\":[]");
      poll(client, wait);
    }
  }

  /** A busy server still reads the polls when all of them have been sent. */
  private void awaitPolls() {
    Pattern requests = Pattern.compile("(?m)^punctual_http_requests (\\d+)");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              URI metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
              try (InputStream in = metrics.toURL().openStream()) {
                Matcher matcher = requests.matcher(new String(in.readAllBytes(), US_ASCII));
                return matcher.find() && Integer.parseInt(matcher.group(1)) >= clients.size();
              }
            });
  }

  @Test
  void idlePolls_takeLittleMemory() throws IOException {
    try (JavaProcess server = serve()) {
      long before = heap(server);
      connect(500);
      for (RawClient client : clients) {
        poll(client, "1s");
      }
      repeat("60s");
      awaitPolls();
      long perPoll = (heap(server) - before) / clients.size();
      assertThat(perPoll).isLessThan(KILOBYTES_A_POLL << 10);
    }
  }

  @Test
  @Tag("extended")
  void tenThousandIdlePolls_letTheHeapBe() throws IOException {
    try (JavaProcess server = serve()) {
      long empty = heap(server);
      connect(10_000);
      for (RawClient client : clients) {
        poll(client, "1s");
      }
      repeat("60s");
      awaitPolls();
      long first = heap(server);
      long last = first;
      for (int minute = 1; minute <= MINUTES; minute++) {
        Duration cpu = server.cpuTime();
        long begin = System.nanoTime();
        repeat("60s");
        double core = (double) server.cpuTime().minus(cpu).toNanos() / (System.nanoTime() - begin);
        awaitPolls();
        last = heap(server);
        log.info(
            "minute {}: heap {} KB, {} KB when empty, {} % of a core",
            minute, last >> 10, empty >> 10, core * 100);
      }
      assertThat(last - empty).isLessThan(100 << 20);
      assertThat(last - first).isLessThan(SLACK);
    }
  }

  @Test
  @Tag("extended")
  void nineteenThousandConnections_areServed() throws IOException {
    try (JavaProcess server = serve()) {
      long empty = heap(server);
      connect(19_000);
      for (int round = 0; round < 2; round++) {
        for (RawClient client : clients) {
          client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
          assertThat(client.reply().status()).isEqualTo(200);
        }
      }
      long used = heap(server) - empty;
      log.info("{} connections: {} bytes of heap each", clients.size(), used / clients.size());
      assertThat(used / clients.size()).isLessThan(KILOBYTES_A_POLL << 10);
    }
  }
}
