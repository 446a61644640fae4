package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** Tests health and endpoints over HTTP. */
class ActuatorTest {
  private static ActuatorApplication context;
  private static ActuatorApplication writable;

  @BeforeAll
  static void start() {
    context = ActuatorApplication.run("punctual.url=memory:");
    writable =
        ActuatorApplication.run(
            "punctual.url=memory:",
            "management.endpoint.punctual.access=unrestricted",
            "management.endpoint.punctual.show-payloads=always",
            "management.endpoint.punctuallisteners.access=unrestricted");
    var queue = context.punctual().queue("orders", Codec.string());
    queue.schedule(Message.of("secret").id("1").dueIn(Duration.ofMinutes(10)));
  }

  @AfterAll
  static void stop() {
    context.close();
    writable.close();
  }

  @Test
  void health_isUp() throws Exception {
    assertThat(context.get("health").body())
        .contains("\"punctual\":{\"details\":{\"store\":\"memory:\",\"latencyMillis\":");
  }

  @Test
  void queues_showCounts() throws Exception {
    assertThat(context.get("punctual").body())
        .contains("\"orders\":{\"queue\":\"orders\",\"partitions\":1,\"scheduled\":1,\"ready\":0,");
    assertThat(context.get("punctual/missing").statusCode()).isEqualTo(404);
  }

  @Test
  void queues_many_arePaged() throws Exception {
    for (int i = 0; i < 5; i++) {
      context.punctual().queue("paged-" + i, Codec.string()).schedule("x", Duration.ofHours(1));
    }

    String first = context.get("punctual?prefix=paged-&limit=3").body();
    String second = context.get("punctual?prefix=paged-&after=paged-2").body();

    assertThat(first).contains("paged-0", "paged-2", "\"next\":\"paged-2\"").doesNotContain("-3");
    assertThat(second).contains("paged-3", "paged-4").doesNotContain("paged-2\":", "next\":\"");
    assertThat(context.get("punctual?limit=0").statusCode()).isEqualTo(400);
    assertThat(context.get("punctual/paged").statusCode()).isEqualTo(404);
  }

  @Test
  void payload_thatIsNoText_isNotDamaged() throws Exception {
    byte[] payload = {(byte) 0xff, 0, 1};
    writable
        .punctual()
        .queue("binary", Codec.bytes())
        .schedule(Message.of(payload).id("a").dueIn(Duration.ofHours(1)));

    assertThat(writable.get("punctual/binary/a").body())
        .contains("\"payloadBase64\":\"/wAB\"")
        .doesNotContain("\"payload\":", "payloadText");
  }

  @Test
  void pause_withAReason_isInTheCounts() throws Exception {
    writable.punctual().queue("late", Codec.string()).schedule("x", Duration.ofHours(1));

    HttpResponse<String> paused =
        writable.postJson(
            "punctual/late", "{\"action\":\"pause\",\"reason\":\"the bank is away\"}");

    assertThat(paused.statusCode()).isEqualTo(200);
    assertThat(writable.punctual().queue("late", Codec.string()).counts().pauseNote().reason())
        .isEqualTo("the bank is away");
    assertThat(writable.get("punctual/late").body())
        .contains("\"pauseReason\":\"the bank is away\",\"pausedBy\":\"actuator\"")
        .contains("\"cause\":\"PAUSED\"");
  }

  @Test
  void pause_userWhoseNameANoteCannotHold_isAnonymous() {
    Punctual punctual = writable.punctual();
    TimedQueue<String> queue = punctual.queue("long-name", Codec.string());
    queue.schedule("x", Duration.ofHours(1));
    SecurityContext user =
        new SecurityContext() {
          @Override
          public Principal getPrincipal() {
            return () -> "CN=" + "eve".repeat(100);
          }

          @Override
          public boolean isUserInRole(String role) {
            return false;
          }
        };
    PunctualEndpoint endpoint =
        new PunctualEndpoint(punctual, new PunctualEndpointProperties(Show.NEVER, Set.of()));

    for (String action : List.of("pause", "resume")) {
      assertThat(
              endpoint
                  .changeQueue(user, "long-name", action, null, null, null, null, null, "a reason")
                  .getStatus())
          .isEqualTo(200);
      assertThat(queue.counts().paused()).isEqualTo(action.equals("pause"));
    }
  }

  @Test
  void message_leased_showsItsHolder() throws Exception {
    Punctual punctual = context.punctual();
    TimedQueue<String> held = punctual.queue("held", Codec.string());
    held.schedule(Message.of("x").id("a"));
    Delivery<String> delivery = held.claim(1, Duration.ofMinutes(1)).get(0);
    assertThat(context.get("punctual/held/a").body())
        .contains("\"state\":\"LEASED\"", "\"leasedUntil\":\"", "\"leaseHolder\":{\"session\":\"")
        .contains("\"pid\":" + ProcessHandle.current().pid());
    delivery.ack();
  }

  @Test
  void payloads_areHiddenByDefault() throws Exception {
    assertThat(context.get("punctual/orders").body())
        .contains("\"heads\"", "\"forecast\"", "\"id\":\"1\"")
        .doesNotContain("secret");
    assertThat(context.get("punctual/orders/1").body())
        .contains("\"state\":\"SCHEDULED\"", "\"createdAt\":\"")
        .doesNotContain("secret");
  }

  @Test
  void writes_areRefusedByDefault() throws Exception {
    assertThat(context.post("punctual/orders", "pause").statusCode()).isEqualTo(405);
    assertThat(context.post("punctuallisteners/handled", "stop").statusCode()).isEqualTo(405);
    assertThat(context.get("punctuallisteners").body())
        .contains("\"id\":\"handled\",\"queues\":[\"handled\"],\"running\":true");
  }

  /** Buries messages of the queue {@code failed}, with two different texts as their failures. */
  private static void bury(ActuatorApplication in) {
    var queue = in.punctual().queue("failed", Codec.string());
    for (int i = 0; i < 5; i++) {
      queue.schedule(Message.of("x").id("failed-" + i));
      queue.claim(1, Duration.ofMinutes(1)).get(0).bury(i < 3 ? "card refused" : "no address");
    }
  }

  @Test
  void deadLetters_areGroupedWithoutTheirFailures() throws Exception {
    bury(context);
    assertThat(context.get("punctualdeadletters").body()).contains("{\"failed\":5}");
    assertThat(context.get("punctualdeadletters/failed").body())
        .contains("\"queue\":\"failed\",\"total\":5,\"others\":0")
        .containsPattern("BY_CALLER.*\"count\":3,.*\"sampleId\":\"failed-2\".*\"count\":2,")
        .doesNotContain("card refused");
    assertThat(context.get("punctualdeadletters/missing").statusCode()).isEqualTo(404);
    assertThat(
            context
                .postJson("punctualdeadletters/failed", "{\"action\":\"redrive\",\"group\":\"0\"}")
                .statusCode())
        .isEqualTo(405);
  }

  @Test
  void deadLetters_whenAllowed_showFailuresAndRedriveAGroup() throws Exception {
    try (var open =
        ActuatorApplication.run(
            "punctual.url=memory:",
            "management.endpoint.punctual.show-payloads=always",
            "management.endpoint.punctualdeadletters.access=unrestricted")) {
      bury(open);
      var queue = open.punctual().queue("failed", Codec.string());
      assertThat(open.get("punctualdeadletters/failed").body())
          .containsSubsequence("card refused", "no address");
      String key = queue.deadLetters().groups(DeadLetterFilter.ALL).groups().get(0).key();
      String path = "punctualdeadletters/failed";
      assertThat(open.postJson(path, "{\"action\":\"redrive\",\"group\":\"" + key + "\"}").body())
          .contains("\"redriven\":3");
      assertThat(queue.counts().dead()).isEqualTo(2);
      assertThat(
              open.postJson(path, "{\"action\":\"burn\",\"group\":\"" + key + "\"}").statusCode())
          .isEqualTo(400);
      assertThat(open.postJson(path, "{\"action\":\"redrive\"}").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void writes_whenAllowed() throws Exception {
    var queue = writable.punctual().queue("written", Codec.string());
    queue.schedule(Message.of("shown").id("1").dueIn(Duration.ofMinutes(10)));
    assertThat(writable.get("punctual/written/1").body())
        .contains("\"payload\":\"shown\",\"payloadText\":true");
    assertThat(writable.post("punctual/written", "pause").body()).contains("\"paused\":true");
    assertThat(queue.counts().paused()).isTrue();
    assertThat(writable.post("punctual/written", "burn"))
        .matches(reply -> reply.statusCode() == 400)
        .extracting(HttpResponse::body)
        .isEqualTo(
            "{\"error\":\"The action 'burn' is unknown; use the action pause, resume, redrive-all"
                + " or limits\"}");
    assertThat(writable.post("punctual/written/1", "run-now").body()).contains("RESCHEDULED");
    assertThat(writable.post("punctual/written/1", "cancel").body()).contains("CANCELLED");
    assertThat(writable.post("punctuallisteners/handled", "stop").body())
        .contains("\"running\":false");
    assertThat(writable.post("punctuallisteners/handled", "start").body())
        .contains("\"running\":true");
  }

  @Test
  void writes_toAnUnknownName_areNotFound() throws Exception {
    writable.punctual().queue("empty", Codec.string());
    assertThat(writable.post("punctual/missing", "pause").statusCode()).isEqualTo(404);
    assertThat(
            writable
                .postJson("punctual/missing", "{\"action\":\"limits\",\"concurrency\":1}")
                .statusCode())
        .isEqualTo(404);
    assertThat(writable.punctual().queues()).doesNotContain("missing");
    assertThat(writable.post("punctual/missing/1", "cancel").statusCode()).isEqualTo(404);
    assertThat(writable.post("punctual/empty/1", "cancel").statusCode()).isEqualTo(404);
    assertThat(writable.post("punctual/empty/1", "redrive").statusCode()).isEqualTo(404);
    assertThat(writable.post("punctuallisteners/missing", "stop").statusCode()).isEqualTo(404);
  }

  @Test
  void redrive_withoutAnId_isRefused() throws Exception {
    writable.punctual().queue("redriven", Codec.string()).schedule("1", Duration.ofHours(1));
    assertThat(
            writable
                .postJson("punctual/redriven", "{\"action\":\"redrive\",\"id\":null}")
                .statusCode())
        .as("a redrive without its id must not redrive the whole queue")
        .isEqualTo(400);
    assertThat(writable.post("punctual/redriven", "redrive-all").body()).contains("\"redriven\":0");
    assertThat(writable.get("punctual/redriven?id=").statusCode()).isEqualTo(404);
  }

  @Test
  void idsWithSlashes_areReached() throws Exception {
    var queue = writable.punctual().queue("slashes", Codec.string());
    queue.schedule(Message.of("x").id("shop/2026/17").dueIn(Duration.ofMinutes(10)));
    assertThat(writable.get("punctual/slashes/shop/2026/17").body())
        .contains("\"id\":\"shop/2026/17\"");
    assertThat(writable.post("punctual/slashes/shop/2026/17", "cancel").body())
        .contains("CANCELLED");
  }

  /** Tests ids that the web server would change or refuse in a path. */
  @ParameterizedTest
  @ValueSource(strings = {"a//b", "/17/", "..", "a/../b", "a%2Fb;c?d&e=f+g", "ä ö"})
  void anyId_isReachedByTheParameter(String id) throws Exception {
    var queue = writable.punctual().queue("orders", Codec.string());
    queue.schedule(Message.of("x").id(id).dueIn(Duration.ofMinutes(10)));
    String path = "punctual/orders?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8);
    assertThat(writable.get(path).body()).contains("\"id\":\"" + id + "\"");
    assertThat(writable.post(path, "run-now").body()).contains("RESCHEDULED");
    String json = "{\"id\":\"" + id + "\",\"action\":\"cancel\"}";
    assertThat(writable.postJson("punctual/orders", json).body()).contains("CANCELLED");
    assertThat(writable.postJson("punctual/orders", json).statusCode()).isEqualTo(404);
    assertThat(writable.get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void idOfAnUnknownQueue_isNotFound() throws Exception {
    assertThat(context.get("punctual/missing?id=1").statusCode()).isEqualTo(404);
    assertThat(writable.post("punctual/missing?id=1", "cancel").statusCode()).isEqualTo(404);
    assertThat(context.post("punctual/orders?id=1", "cancel").statusCode()).isEqualTo(405);
  }
}
