package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.DeadLetterFilter;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.spring.PunctualListener;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Health and endpoints over HTTP. */
class ActuatorTest {
  private static ServletWebServerApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @PunctualListener(value = "handled", id = "handled")
    void handle(String text) {}
  }

  private static ServletWebServerApplicationContext run(String... properties) {
    SpringApplication application = new SpringApplication(Application.class);
    String[] arguments = new String[properties.length + 3];
    arguments[0] = "--server.port=0";
    arguments[1] = "--management.endpoints.web.exposure.include=*";
    arguments[2] = "--management.endpoint.health.show-details=always";
    for (int i = 0; i < properties.length; i++) {
      arguments[i + 3] = "--" + properties[i];
    }
    return (ServletWebServerApplicationContext) application.run(arguments);
  }

  @BeforeAll
  static void start() {
    context = run("punctual.url=memory:");
    var queue = context.getBean(Punctual.class).queue("orders", Codec.string());
    queue.schedule(Message.of("secret").id("1").dueIn(Duration.ofMinutes(10)));
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return send(context, HttpRequest.newBuilder().GET(), path);
  }

  private HttpResponse<String> post(
      ServletWebServerApplicationContext to, String path, String action) throws Exception {
    return postJson(to, path, "{\"action\":\"" + action + "\"}");
  }

  private HttpResponse<String> postJson(
      ServletWebServerApplicationContext to, String path, String json) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json));
    return send(to, request, path);
  }

  private HttpResponse<String> send(
      ServletWebServerApplicationContext to, HttpRequest.Builder request, String path)
      throws Exception {
    int port = to.getWebServer().getPort();
    return http.send(
        request.uri(URI.create("http://localhost:" + port + "/actuator/" + path)).build(),
        BodyHandlers.ofString());
  }

  @Test
  void health_isUp() throws Exception {
    assertThat(get("health").body())
        .contains("\"punctual\":{\"details\":{\"store\":\"memory:\",\"latencyMillis\":");
  }

  @Test
  void queues_showCounts() throws Exception {
    assertThat(get("punctual").body())
        .contains("\"orders\":{\"scheduled\":1,\"ready\":0,\"leased\":0,\"dead\":0");
    assertThat(get("punctual/missing").statusCode()).isEqualTo(404);
  }

  @Test
  void message_leased_showsItsHolder() throws Exception {
    Punctual punctual = context.getBean(Punctual.class);
    TimedQueue<String> held = punctual.queue("held", Codec.string());
    held.schedule(Message.of("x").id("a"));
    Delivery<String> delivery = held.claim(1, Duration.ofSeconds(10)).get(0);
    assertThat(get("punctual/held/a").body())
        .contains("\"state\":\"LEASED\"", "\"leasedUntil\":\"", "\"leasedBy\":\"a client on ")
        .contains("(pid " + ProcessHandle.current().pid() + ")");
    delivery.ack();
  }

  @Test
  void payloads_areHiddenByDefault() throws Exception {
    assertThat(get("punctual/orders").body())
        .contains("\"heads\"", "\"forecast\"", "\"id\":\"1\"")
        .doesNotContain("secret");
    assertThat(get("punctual/orders/1").body())
        .contains("\"state\":\"SCHEDULED\"", "\"createdAt\":\"")
        .doesNotContain("secret");
  }

  @Test
  void writes_areRefusedByDefault() throws Exception {
    assertThat(post(context, "punctual/orders", "pause").statusCode()).isEqualTo(405);
    assertThat(post(context, "punctuallisteners/handled", "stop").statusCode()).isEqualTo(405);
    assertThat(get("punctuallisteners").body())
        .contains("\"id\":\"handled\",\"queues\":[\"handled\"],\"running\":true");
  }

  /** Buries messages of the queue {@code failed}, by two failures. */
  private static void bury(ServletWebServerApplicationContext in) {
    var queue = in.getBean(Punctual.class).queue("failed", Codec.string());
    for (int i = 0; i < 5; i++) {
      queue.schedule(Message.of("x").id("failed-" + i));
      queue.claim(1, Duration.ofSeconds(5)).get(0).bury(i < 3 ? "card refused" : "no address");
    }
  }

  @Test
  void deadLetters_areGroupedWithoutTheirFailures() throws Exception {
    try (var more = run("punctual.url=memory:")) {
      bury(more);
      HttpRequest.Builder get = HttpRequest.newBuilder().GET();
      assertThat(send(more, get, "punctualdeadletters").body()).contains("{\"failed\":5}");
      assertThat(send(more, get, "punctualdeadletters/failed").body())
          .contains("\"queue\":\"failed\",\"total\":5,\"others\":0")
          .containsPattern("BY_CALLER.*\"count\":3,.*\"sampleId\":\"failed-2\".*\"count\":2,")
          .doesNotContain("card refused");
      assertThat(send(more, get, "punctualdeadletters/missing").statusCode()).isEqualTo(404);
      assertThat(
              postJson(
                      more,
                      "punctualdeadletters/failed",
                      "{\"action\":\"redrive\",\"group\":\"0\"}")
                  .statusCode())
          .isEqualTo(405);
    }
  }

  @Test
  void deadLetters_whenAllowed_showFailuresAndRedriveAGroup() throws Exception {
    try (var open =
        run(
            "punctual.url=memory:",
            "management.endpoint.punctual.show-payloads=always",
            "management.endpoint.punctualdeadletters.access=unrestricted")) {
      bury(open);
      var queue = open.getBean(Punctual.class).queue("failed", Codec.string());
      HttpRequest.Builder get = HttpRequest.newBuilder().GET();
      assertThat(send(open, get, "punctualdeadletters/failed").body())
          .containsSubsequence("card refused", "no address");
      String key = queue.deadLetters().groups(DeadLetterFilter.ALL).groups().get(0).key();
      String path = "punctualdeadletters/failed";
      assertThat(postJson(open, path, "{\"action\":\"redrive\",\"group\":\"" + key + "\"}").body())
          .contains("\"redriven\":3");
      assertThat(queue.counts().dead()).isEqualTo(2);
      assertThat(
              postJson(open, path, "{\"action\":\"burn\",\"group\":\"" + key + "\"}").statusCode())
          .isEqualTo(400);
      assertThat(postJson(open, path, "{\"action\":\"redrive\"}").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void writes_whenAllowed() throws Exception {
    try (var open =
        run(
            "punctual.url=memory:",
            "management.endpoint.punctual.access=unrestricted",
            "management.endpoint.punctual.show-payloads=always",
            "management.endpoint.punctuallisteners.access=unrestricted")) {
      var queue = open.getBean(Punctual.class).queue("orders", Codec.string());
      queue.schedule(Message.of("shown").id("1").dueIn(Duration.ofMinutes(10)));
      assertThat(send(open, HttpRequest.newBuilder().GET(), "punctual/orders/1").body())
          .contains("\"payload\":\"shown\"");
      assertThat(post(open, "punctual/orders", "pause").body()).contains("\"paused\":true");
      assertThat(queue.counts().paused()).isTrue();
      assertThat(post(open, "punctual/orders", "burn").statusCode()).isEqualTo(400);
      assertThat(post(open, "punctual/orders/1", "run-now").body()).contains("RESCHEDULED");
      assertThat(post(open, "punctual/orders/1", "cancel").body()).contains("CANCELLED");
      assertThat(post(open, "punctuallisteners/handled", "stop").body())
          .contains("\"running\":false");
      assertThat(post(open, "punctuallisteners/handled", "start").body())
          .contains("\"running\":true");
    }
  }

  @Test
  void writes_toAnUnknownName_areNotFound() throws Exception {
    try (var open =
        run(
            "punctual.url=memory:",
            "management.endpoint.punctual.access=unrestricted",
            "management.endpoint.punctuallisteners.access=unrestricted")) {
      open.getBean(Punctual.class).queue("orders", Codec.string());
      assertThat(post(open, "punctual/missing", "pause").statusCode()).isEqualTo(404);
      assertThat(post(open, "punctual/missing/1", "cancel").statusCode()).isEqualTo(404);
      assertThat(post(open, "punctual/orders/1", "cancel").statusCode()).isEqualTo(404);
      assertThat(post(open, "punctual/orders/1", "redrive").statusCode()).isEqualTo(404);
      assertThat(post(open, "punctuallisteners/missing", "stop").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void idsWithSlashes_areReached() throws Exception {
    try (var open =
        run("punctual.url=memory:", "management.endpoint.punctual.access=unrestricted")) {
      var queue = open.getBean(Punctual.class).queue("orders", Codec.string());
      queue.schedule(Message.of("x").id("shop/2026/17").dueIn(Duration.ofMinutes(10)));
      assertThat(send(open, HttpRequest.newBuilder().GET(), "punctual/orders/shop/2026/17").body())
          .contains("\"id\":\"shop/2026/17\"");
      assertThat(post(open, "punctual/orders/shop/2026/17", "cancel").body()).contains("CANCELLED");
    }
  }
}
