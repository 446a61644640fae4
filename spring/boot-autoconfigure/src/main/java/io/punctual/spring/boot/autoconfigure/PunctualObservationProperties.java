package io.punctual.spring.boot.autoconfigure;

import io.punctual.micrometer.Propagation;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code punctual.observation.*}.
 *
 * @param enabled Whether to observe schedules and handlers, for timers and traces.
 * @param propagation How the trace of a handler relates to the trace of the schedule: a new trace
 *     with a link, a part of the same trace, or a new trace without a link.
 */
@ConfigurationProperties("punctual.observation")
public record PunctualObservationProperties(
    @DefaultValue("true") boolean enabled, @DefaultValue("link") Propagation propagation) {}
