package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kills the clients of waiting polls, and looks when their messages come back. */
class GonePollerTest {
  private static final String LONG = "{\"max\":10,\"lease\":\"1h\",\"wait\":\"60s\"}";

  @TempDir private Path folder;

  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder, "");
    assertThat(schedule("first", "PT0S")).isEqualTo(201);
    claim("{\"max\":1,\"wait\":\"60s\"}");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int schedule(String id, String delay) {
    return server
        .send(
            "POST",
            "/v1/queues/mail/messages",
            "{\"id\":\"%s\",\"payload\":1,\"delay\":\"%s\"}".formatted(id, delay),
            "Content-Type",
            "application/json")
        .statusCode();
  }

  private String claim(String body) {
    return server
        .send("POST", "/v1/queues/mail/claims", body, "Content-Type", "application/json")
        .body();
  }

  private RawClient poll(String body) throws IOException {
    RawClient client = RawClient.connect(server.port());
    client.send(
        "POST /v1/queues/mail/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
    return client;
  }

  /** The request for the meters is one of them. */
  private void awaitPolls(int number) {
    await()
        .until(
            () ->
                server
                    .get("/metrics")
                    .body()
                    .contains("punctual_http_requests " + (number + 1) + ".0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIN", "RST", "half-close"})
  void aPollerThatDies_holdsNoMessage(String way) throws IOException {
    List<RawClient> pollers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      pollers.add(poll(LONG));
    }
    awaitPolls(20);
    for (RawClient poller : pollers) {
      switch (way) {
        case "FIN" -> poller.close();
        case "RST" -> poller.reset();
        default -> poller.socket().shutdownOutput();
      }
    }
    awaitPolls(0);

    schedule("due", "PT0.2S");

    assertThat(claim("{\"max\":1,\"wait\":\"60s\"}")).contains("\"id\":\"due\"", "\"attempt\":1");
    for (RawClient poller : pollers) {
      poller.close();
    }
  }

  @Test
  void aPollerThatIsSilent_holdsItsMessageForALease() throws IOException {
    try (RawClient silent = poll("{\"max\":1,\"lease\":\"1s\",\"wait\":\"60s\"}")) {
      awaitPolls(1);
      schedule("due", "PT0S");
      awaitPolls(0);

      assertThat(claim("{\"max\":1,\"wait\":\"60s\"}")).contains("\"id\":\"due\"", "\"attempt\":2");
      assertThat(silent.reply().text()).contains("\"attempt\":1");
    }
  }

  @Test
  void aRequestBehindAPoll_endsThePollAndIsServed() throws IOException {
    try (RawClient client = poll(LONG)) {
      awaitPolls(1);
      client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");

      assertThat(client.reply().text()).contains("\"deliveries\":[]");
      assertThat(client.reply().text()).isEqualTo("alive\n");
    }
  }
}
