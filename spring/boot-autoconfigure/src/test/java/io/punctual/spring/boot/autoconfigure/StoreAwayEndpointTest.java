package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.kit.redis.RedisProcess;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each operation tells that the store is away, as the HTTP API does. */
class StoreAwayEndpointTest {
  private static int port;
  private static ActuatorApplication application;

  @BeforeAll
  static void start() {
    RedisProcess redis = RedisProcess.start();
    port = redis.port();
    application =
        ActuatorApplication.run(
            "punctual.url=" + redis.url() + "?operationTimeout=500ms",
            "management.endpoint.punctual.access=unrestricted",
            "management.endpoint.punctualdeadletters.access=unrestricted");
    application
        .punctual()
        .queue("late", Codec.string())
        .schedule(Message.of("far").id("a").dueIn(Duration.ofDays(1)));
    redis.close();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  private static void assertAway(HttpResponse<String> reply) {
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(503);
    assertThat(reply.body()).contains("problem:unavailable").contains(":" + port);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "punctual",
        "punctual/late",
        "punctual/late?id=a",
        "punctual/late/a",
        "punctualdeadletters",
        "punctualdeadletters/late"
      })
  void read_tellsThatTheStoreIsAway(String path) throws Exception {
    assertAway(application.get(path));
  }

  @ParameterizedTest
  @CsvSource({
    "punctual/late, pause",
    "punctual/late, resume",
    "punctual/late, redrive-all",
    "punctual/late/a, cancel",
    "punctual/late/a, run-now"
  })
  void change_tellsThatTheStoreIsAway(String path, String action) throws Exception {
    assertAway(application.post(path, action));
  }

  @ParameterizedTest
  @ValueSource(strings = "{\"action\":\"redrive\",\"group\":\"g\"}")
  void redrive_tellsThatTheStoreIsAway(String json) throws Exception {
    assertAway(application.postJson("punctualdeadletters/late", json));
  }
}
