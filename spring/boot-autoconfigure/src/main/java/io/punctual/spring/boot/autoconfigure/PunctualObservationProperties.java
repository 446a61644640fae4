package io.punctual.spring.boot.autoconfigure;

import io.punctual.micrometer.Propagation;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code punctual.observation.*}.
 *
 * @param enabled Whether to observe schedules and handlers, for timers and traces. By default the
 *     timers are recorded without observations if only the meters of Spring Boot would receive the
 *     observations.
 * @param propagation How the trace of a handler relates to the trace of the schedule: a new trace
 *     with a link, a part of the same trace, or a new trace without a link.
 */
@ConfigurationProperties("punctual.observation")
public record PunctualObservationProperties(
    @Nullable Boolean enabled, @DefaultValue("link") Propagation propagation) {}
