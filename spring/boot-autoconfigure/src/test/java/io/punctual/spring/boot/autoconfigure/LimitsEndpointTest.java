package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitsEndpointTest {
  private static ActuatorApplication application;

  @BeforeAll
  static void start() {
    application =
        ActuatorApplication.run(
            "punctual.url=memory:", "management.endpoint.punctual.access=unrestricted");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  /** Returns a queue that exists, because it has a message. */
  private static TimedQueue<String> queue(String name) {
    TimedQueue<String> queue = application.punctual().queue(name, Codec.string());
    queue.schedule("far", Duration.ofDays(1));
    return queue;
  }

  /**
   * Posts the action {@code limits}; {@code parts} are further fields of the JSON object, with
   * single quotes.
   */
  private static HttpResponse<String> limits(String queue, String parts) throws Exception {
    String json = "{'action':'limits'" + parts + "}";
    return application.postJson("punctual/" + queue, json.replace('\'', '"'));
  }

  private static void set(TimedQueue<String> queue, String parts) throws Exception {
    assertThat(limits(queue.name(), parts).statusCode()).isEqualTo(200);
  }

  @Test
  void limits_areSet() throws Exception {
    TimedQueue<String> queue = queue("set");
    String reply = limits("set", ",'rate':100,'per':'2s','burst':20,'concurrency':10").body();
    assertThat(reply.replace('"', '\''))
        .isEqualTo("{'limits':{'rate':100,'perMillis':2000,'burst':20,'concurrency':10}}");
    assertThat(queue.limits())
        .isEqualTo(QueueLimits.none().rate(100, Duration.ofSeconds(2), 20).concurrency(10));
  }

  @Test
  void partsThatARequestDoesNotName_stay() throws Exception {
    TimedQueue<String> queue = queue("parts");
    Duration per = Duration.ofSeconds(2);
    queue.setLimits(QueueLimits.none().rate(100, per, 20).concurrency(10));
    set(queue, ",'rate':50");
    assertThat(queue.limits()).isEqualTo(QueueLimits.none().rate(50, per, 20).concurrency(10));
    set(queue, ",'burst':5,'concurrency':7");
    assertThat(queue.limits()).isEqualTo(QueueLimits.none().rate(50, per, 5).concurrency(7));
    set(queue, ",'per':'PT1M'");
    assertThat(queue.limits())
        .isEqualTo(QueueLimits.none().rate(50, Duration.ofMinutes(1), 5).concurrency(7));
  }

  @Test
  void zero_removesALimit() throws Exception {
    TimedQueue<String> queue = queue("removed");
    queue.setLimits(QueueLimits.none().rate(100, Duration.ofSeconds(1), 20).concurrency(10));
    set(queue, ",'rate':0");
    assertThat(queue.limits()).isEqualTo(QueueLimits.none().concurrency(10));
    set(queue, ",'concurrency':0");
    assertThat(queue.limits()).isEqualTo(QueueLimits.none());
  }

  @Test
  void rateAlone_isPerSecond_withABurstOfATenth() throws Exception {
    TimedQueue<String> queue = queue("rate");
    set(queue, ",'rate':200");
    assertThat(queue.limits()).isEqualTo(QueueLimits.none().rate(200, Duration.ofSeconds(1), 20));
    queue.setLimits(QueueLimits.none());
    set(queue, ",'rate':3,'per':'1m'");
    assertThat(queue.limits()).isEqualTo(QueueLimits.none().rate(3, Duration.ofMinutes(1), 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                               | The request names no limit; add rate",
        ",'rate':'many'                   | The rate 'many' is not a whole number",
        ",'rate':1.5                      | The rate '1.5' is not a whole number",
        ",'rate':-1                       | The rate must be between 1 and 1000000, but was -1",
        ",'rate':5,'per':'soon'           | The time per 'soon' is not a duration",
        ",'rate':5,'per':'999999999999999d'| The time per '999999999999999d' is not a duration",
        ",'rate':5,'per':'400d'           | A rate counts messages per 1 ms to 1 day",
        ",'rate':5,'burst':0              | The burst must be between 1 and 100000, but was 0",
        ",'burst':5                       | per and burst need a rate",
        ",'concurrency':2000000           | The concurrency must be between 1 and 1000000"
      })
  void wrongParts_areRefusedWithTheReason(String parts, String reason) throws Exception {
    TimedQueue<String> queue = queue("wrong");
    HttpResponse<String> reply = limits("wrong", parts);
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(reply.body()).startsWith("{\"error\":\"" + reason);
    assertThat(queue.limits()).isEqualTo(QueueLimits.none());
  }

  @Test
  void unknownQueue_isNotFound_andNotCreated() throws Exception {
    assertThat(limits("missing", ",'concurrency':1").statusCode()).isEqualTo(404);
    assertThat(application.punctual().queues()).doesNotContain("missing");
  }
}
