package io.punctual.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kafka.Topics.Finding;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Test;

/** Tests the look-up of topics that are created later. */
class TopicsTest extends KafkaTestBase {
  /** Returns a producer whose look-ups end with an error, as they do when memory is short. */
  private static Producer<?, ?> failing() {
    return (Producer<?, ?>)
        Proxy.newProxyInstance(
            TopicsTest.class.getClassLoader(),
            new Class<?>[] {Producer.class},
            (proxy, method, arguments) -> {
              throw new InternalError("A planned failure");
            });
  }

  @Test
  void lookUp_thatEndsWithAnError_isRepeated_untilTheTopicIsThere() throws Exception {
    Topics topics = new Topics(new HashMap<>(broker.properties()));
    try {
      assertThat(topics.find(List.of("created-later"), failing())).hasSize(1);
      broker.createTopic("created-later", 1, Map.of());
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  Finding.READY.equals(
                      topics.find(List.of("created-later"), failing()).get("created-later")));
    } finally {
      topics.close();
    }
  }
}
