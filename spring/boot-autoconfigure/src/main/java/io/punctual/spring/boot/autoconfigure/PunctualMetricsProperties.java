package io.punctual.spring.boot.autoconfigure;

import io.punctual.micrometer.QueueGauges;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code punctual.metrics.*}.
 *
 * @param enabled Whether to register meters of queues, workers, the store and locks.
 * @param queueGauges Queues with gauges that count their messages: the queues that this application
 *     listens to, all queues of the store, or none.
 * @param queues Further queues with such gauges.
 * @param refresh Interval at which the store is asked for the counts.
 */
@ConfigurationProperties("punctual.metrics")
public record PunctualMetricsProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("listened") QueueGauges queueGauges,
    @DefaultValue List<String> queues,
    @DefaultValue("10s") Duration refresh) {}
