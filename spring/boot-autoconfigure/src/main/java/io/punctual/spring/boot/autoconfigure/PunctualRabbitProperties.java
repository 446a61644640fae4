package io.punctual.spring.boot.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code punctual.rabbitmq.*}. The connection is that of {@code spring.rabbitmq.*}.
 *
 * @param intakes Intakes, which delay messages by their header x-delay, by the name of the queue
 *     that stores the messages.
 * @param bridges Bridges, which publish due messages, by the name of their queue.
 */
@ConfigurationProperties("punctual.rabbitmq")
public record PunctualRabbitProperties(
    @DefaultValue Map<String, Intake> intakes, @DefaultValue Map<String, Bridge> bridges) {

  /**
   * Returns these properties without the intakes and bridges whose names others have.
   *
   * @param changed receives the names of those that differ
   */
  PunctualRabbitProperties without(PunctualRabbitProperties others, Consumer<String> changed) {
    return new PunctualRabbitProperties(
        without("intakes.", intakes, others.intakes, changed),
        without("bridges.", bridges, others.bridges, changed));
  }

  private static <L> Map<String, L> without(
      String prefix, Map<String, L> all, Map<String, L> others, Consumer<String> changed) {
    Map<String, L> left = new LinkedHashMap<>(all);
    others.forEach(
        (name, other) -> {
          L its = left.remove(name);
          if (its != null && !its.equals(other)) {
            changed.accept(prefix + name);
          }
        });
    return left;
  }

  /**
   * An intake.
   *
   * @param source Exchange of the publishers.
   * @param sourceType Type of that exchange: fanout, topic or headers.
   * @param target Exchange of the consumers.
   * @param targetType Type of that exchange.
   * @param intakeQueue Queue between the source and the intake; by default the source with the
   *     suffix .intake.
   * @param queueType Type of that queue: quorum or classic.
   * @param prefetch How many messages may be on their way to the store.
   * @param inFlight How many messages may be on their way to the target; by default 256, or fewer
   *     with a small heap.
   * @param declare Whether to declare the exchanges and queues.
   * @param messageIds Whether the property message-id becomes the id.
   * @param mandatory Whether a due message that no queue receives fails.
   * @param confirmTimeout How long a published message waits for a confirmation.
   */
  public record Intake(
      @Nullable String source,
      @DefaultValue("fanout") String sourceType,
      @Nullable String target,
      @Nullable String targetType,
      @Nullable String intakeQueue,
      @DefaultValue("quorum") String queueType,
      @DefaultValue("1000") int prefetch,
      @Nullable Integer inFlight,
      @DefaultValue("true") boolean declare,
      @DefaultValue("true") boolean messageIds,
      @DefaultValue("true") boolean mandatory,
      @DefaultValue("30s") Duration confirmTimeout) {}

  /**
   * A bridge.
   *
   * @param exchange Exchange of the messages.
   * @param exchangeHeader Header of a message that names its exchange.
   * @param routingKey Routing key of the messages.
   * @param routingKeyHeader Header of a message that has its routing key.
   * @param inFlight How many messages may be on their way; by default 256, or fewer with a small
   *     heap.
   * @param mandatory Whether a message that no queue receives fails.
   * @param confirmTimeout How long a published message waits for a confirmation.
   */
  public record Bridge(
      @Nullable String exchange,
      @Nullable String exchangeHeader,
      @DefaultValue("") String routingKey,
      @Nullable String routingKeyHeader,
      @Nullable Integer inFlight,
      @DefaultValue("true") boolean mandatory,
      @DefaultValue("30s") Duration confirmTimeout) {}
}
