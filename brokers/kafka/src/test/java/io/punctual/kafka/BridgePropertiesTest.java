package io.punctual.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BridgePropertiesTest {
  private static final Map<String, Object> SERVERS = Map.of("bootstrap.servers", "127.0.0.1:1");

  private final Punctual punctual = Punctual.open("memory:");
  private final TimedQueue<byte[]> queue = punctual.queue("reminders", Codec.bytes());

  @AfterEach
  void close() {
    punctual.close();
  }

  @Test
  void wrongProperties_areRefusedByName() {
    Map<String, Map<String, Object>> wrong =
        Map.of(
            "acks", Map.of("acks", "1"),
            "enable.idempotence", Map.of("enable.idempotence", false),
            "transactional.id", Map.of("transactional.id", "t"),
            "value.serializer", Map.of("value.serializer", "x"),
            "delivery.timeout.ms", Map.of("delivery.timeout.ms", 1),
            "request.timeout.ms", Map.of("request.timeout.ms", 40_000));
    wrong.forEach(
        (name, properties) -> {
          Map<String, Object> all = new HashMap<>(SERVERS);
          all.putAll(properties);
          KafkaBridge.Builder builder = KafkaBridge.builder(queue, all).topic("t");
          assertThatThrownBy(builder::start)
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining(name);
        });
    assertThatThrownBy(() -> KafkaBridge.builder(queue, Map.of()).topic("t").start())
        .hasMessageContaining("bootstrap.servers");
    assertThatThrownBy(() -> KafkaBridge.builder(queue, SERVERS).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("topic");
  }
}
