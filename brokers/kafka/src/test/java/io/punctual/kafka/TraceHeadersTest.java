package io.punctual.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests a message whose headers have the trace of its schedule. */
class TraceHeadersTest {
  private final Punctual punctual = Punctual.open("memory:");
  private final TimedQueue<byte[]> queue = punctual.queue("reminders", Codec.bytes());

  @AfterEach
  void close() {
    punctual.close();
  }

  /** The consumer would otherwise continue the trace of a schedule of a month ago. */
  @Test
  void messageWithTheTraceOfItsSchedule_consumerBeginsANewTrace() throws Exception {
    KafkaBroker broker = SharedKafkaBroker.get();
    broker.createTopic("traced", 1, Map.of());
    queue.schedule(
        Message.of(new byte[1])
            .id("a")
            .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .header("tracestate", "a=b")
            .header("Baggage", "user=1")
            .header("b3", "80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1")
            .header("X-B3-TraceId", "80f198ee56343ba864fe8b2a57d3eff7")
            .header("x-b3-sampled", "1")
            .header("tenant", "a"));
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, broker.properties()).topic("traced").start()) {
      await().atMost(Duration.ofMinutes(3)).until(() -> queue.counts().pending() == 0);
      assertThat(bridge.stats().failed()).isZero();
    }
    List<String> names = new ArrayList<>();
    broker.records("traced").get(0).headers().forEach(header -> names.add(header.key()));
    assertThat(names)
        .containsExactlyInAnyOrder(
            "tenant", KafkaBridge.ID_HEADER, KafkaBridge.ATTEMPT_HEADER, KafkaBridge.DUE_HEADER);
  }
}
