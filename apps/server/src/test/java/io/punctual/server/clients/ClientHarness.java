package io.punctual.server.clients;

import static io.punctual.server.clients.Drivers.command;
import static org.awaitility.Awaitility.await;

import io.punctual.server.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server for all tests of a class, with a queue for each, and the clients of all languages. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientHarness {
  private static final AtomicInteger QUEUES = new AtomicInteger();

  final Drivers drivers = new Drivers();
  Path folder = Path.of("");
  TestServer server;
  String queue = "";

  @BeforeAll
  void start(@TempDir Path temporary) {
    folder = temporary;
    server = TestServer.start(folder, "");
  }

  @AfterAll
  void stop() {
    drivers.close();
    server.close();
  }

  @BeforeEach
  void nextQueue() {
    queue = "q" + QUEUES.incrementAndGet();
  }

  static ConditionFactory soon() {
    return await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
  }

  static String draft(String id, String payload) {
    return "'payload':%s,'options':{'id':'%s'}".formatted(payload, id);
  }

  String here(String action, String rest) {
    return command(server.server().address(), queue, action, rest);
  }

  String message(String id) {
    return server.get("/v1/queues/" + queue + "/message?id=" + id).body();
  }

  void awaitGone(String id) {
    soon().until(() -> message(id).contains("\"status\":404"));
  }
}
