package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks of a whole server: its configuration, its API, reloads, and its end. */
class WebhookServerTest {
  private static final String JSON = "application/json";

  @TempDir private Path folder;

  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private HttpServer receiver;
  private volatile int status = 200;
  private volatile boolean isSlow;

  @BeforeEach
  void startReceiver() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.setExecutor(Executors.newCachedThreadPool());
    receiver.createContext(
        "/",
        exchange -> {
          bodies.add(
              exchange.getRequestURI().getPath()
                  + " "
                  + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          try {
            if (isSlow) {
              mayAnswer.await();
            }
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stopReceiver() {
    mayAnswer.countDown();
    receiver.stop(0);
  }

  private int port() {
    return receiver.getAddress().getPort();
  }

  private String yaml(String... webhooks) {
    StringBuilder yaml = new StringBuilder("webhooks:\n");
    for (String webhook : webhooks) {
      yaml.append("  - ").append(webhook.replace("PORT", "" + port())).append('\n');
    }
    return (webhooks.length == 0 ? "" : yaml)
        + "webhookNetwork: {allowAddresses: [127.0.0.0/8], allowHttp: true, allowPorts: ["
        + port()
        + "]}\n";
  }

  private static final String CRM =
      "{name: crm, queue: mail, url: 'http://127.0.0.1:PORT/crm', keys: [{secret:"
          + " whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}]}";

  private static void schedule(TestServer server, String queue, String id) {
    assertThat(
            server
                .send(
                    "PUT",
                    "/v1/queues/" + queue + "/messages/" + id,
                    "{\"payload\": \"" + id + "\"}",
                    "Content-Type",
                    JSON)
                .statusCode())
        .isEqualTo(201);
  }

  private void awaitBody(String body) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bodies.contains(body));
  }

  /** Waits until the call of a message is logged and the message acknowledged. */
  private static void awaitGone(TestServer server, String id) {
    Awaitility.await()
        .until(() -> server.get("/v1/queues/mail/messages/" + id).statusCode() == 404);
  }

  @Test
  void targetOfTheConfiguration_getsMessages_andAReloadChangesIt() {
    try (TestServer server = TestServer.start(folder, yaml(CRM))) {
      schedule(server, "mail", "one");
      awaitBody("/crm \"one\"");
      assertThat(server.get("/v1/webhooks/crm").body())
          .contains("\"configured\":true")
          .doesNotContain("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
      assertThat(server.send("DELETE", "/v1/webhooks/crm", "").statusCode()).isEqualTo(409);

      assertThat(server.reload(yaml(CRM.replace("/crm'", "/other'")))).isTrue();
      schedule(server, "mail", "two");
      awaitBody("/other \"two\"");

      assertThat(server.reload(yaml(CRM.replace("127.0.0.1", "10.0.0.1")))).isFalse();
      assertThat(server.reload(yaml(CRM.replace("concurrency", "concurency")))).isTrue();
      assertThat(server.reload(yaml(CRM.replace("queue:", "quue:")))).isFalse();
      schedule(server, "mail", "three");
      awaitBody("/crm \"three\"");

      assertThat(server.reload(yaml())).isTrue();
      assertThat(server.get("/v1/webhooks/crm").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void targetOfTheApi_isDisabledBy410_enabledAndReplayed() {
    try (TestServer server = TestServer.start(folder, yaml())) {
      String target = "{\"queue\": \"mail\", \"url\": \"http://127.0.0.1:" + port() + "/crm\"}";
      assertThat(server.send("PUT", "/v1/webhooks/crm", target, "Content-Type", JSON).body())
          .contains("whsec_");
      schedule(server, "mail", "one");
      awaitBody("/crm \"one\"");
      status = 410;
      schedule(server, "mail", "two");
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> server.get("/v1/webhooks/crm").body().contains("\"disabled\""));
      assertThat(server.get("/v1/overview").body()).contains("The webhook crm is disabled");
      status = 200;
      server.send("POST", "/v1/webhooks/crm/enable", "");
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> bodies.stream().filter("/crm \"two\""::equals).count() == 2);
      awaitGone(server, "one");
      awaitGone(server, "two");
      int before = bodies.size();
      assertThat(
              server
                  .send(
                      "POST",
                      "/v1/webhooks/crm/replay",
                      "{\"since\": \"2020-01-01T00:00:00Z\"}",
                      "Content-Type",
                      JSON)
                  .body())
          .contains("\"scheduled\":2");
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bodies.size() == before + 2);
    }
  }

  @Test
  void end_waitsForCallsInFlight() throws Exception {
    TestServer server = TestServer.start(folder, "journal:" + folder.resolve("data"), yaml(CRM));
    isSlow = true;
    schedule(server, "mail", "one");
    awaitBody("/crm \"one\"");
    Thread end = new Thread(server::close);
    end.start();
    mayAnswer.countDown();
    end.join();
    isSlow = false;
    try (TestServer again =
        TestServer.start(folder, "journal:" + folder.resolve("data"), yaml(CRM))) {
      schedule(again, "mail", "two");
      awaitBody("/crm \"two\"");
      assertThat(bodies).containsExactly("/crm \"one\"", "/crm \"two\"");
    }
  }

  @Test
  void readOnlyServer_takesNoMessages_untilAReload() {
    try (TestServer server = TestServer.start(folder, yaml(CRM))) {
      server.reload(yaml(CRM) + "readOnly: true\n");
      server.reload(yaml(CRM) + "readOnly: false\n");
      schedule(server, "mail", "one");
      awaitBody("/crm \"one\"");
    }
  }
}
