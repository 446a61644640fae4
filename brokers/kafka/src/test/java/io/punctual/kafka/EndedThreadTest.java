package io.punctual.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Message;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.junit.jupiter.api.Test;

/** Tests errors, such as a lack of memory, that end a thread of Kafka's client. */
class EndedThreadTest extends KafkaTestBase {
  /** Ends the thread of a producer at the first confirmation. */
  public static final class FailingInterceptor implements ProducerInterceptor<byte[], byte[]> {
    static final AtomicBoolean FAILED = new AtomicBoolean();

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
      return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
      if (!FAILED.getAndSet(true)) {
        throw new OutOfMemoryError("A planned failure");
      }
    }

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  /** Ends the thread of an administrative client when it connects for the first time. */
  public static final class FailingReporter implements MetricsReporter {
    static final AtomicBoolean FAILED = new AtomicBoolean();

    @Override
    public void init(List<KafkaMetric> metrics) {}

    @Override
    public void metricChange(KafkaMetric metric) {
      if (Thread.currentThread().getName().startsWith("kafka-admin-client-thread")
          && !FAILED.getAndSet(true)) {
        throw new OutOfMemoryError("A planned failure");
      }
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  @Test
  void threadOfTheProducerEnds_itsMessagesAreSentAgain() throws Exception {
    assertSends(
        "producer-ended", ProducerConfig.INTERCEPTOR_CLASSES_CONFIG, FailingInterceptor.class);
    assertThat(FailingInterceptor.FAILED).isTrue();
  }

  @Test
  void threadOfTheAdministrativeClientEnds_messagesAreSentLater() throws Exception {
    assertSends(
        "admin-ended", ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, FailingReporter.class);
    assertThat(FailingReporter.FAILED).isTrue();
  }

  private void assertSends(String topic, String property, Class<?> failing) throws Exception {
    broker.createTopic(topic, 1, Map.of());
    Map<String, Object> properties = new HashMap<>(broker.properties());
    properties.put(property, failing.getName());
    queue.schedule(Message.of(new byte[1]).id("m").dueIn(Duration.ZERO));
    try (KafkaBridge bridge =
        KafkaBridge.builder(queue, properties)
            .topic(topic)
            .confirmTimeout(Duration.ofSeconds(2))
            .start()) {
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
      assertThat(bridge.stats().failed()).isZero();
    }
    assertThat(broker.records(topic)).isNotEmpty();
  }
}
