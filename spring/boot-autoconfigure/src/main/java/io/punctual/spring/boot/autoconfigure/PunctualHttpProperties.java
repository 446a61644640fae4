package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code punctual.http.*}.
 *
 * @param path Path below which the application serves the HTTP API, such as /punctual. Without it,
 *     the API is not served.
 * @param readOnly Whether the API refuses all requests that change something.
 */
@ConfigurationProperties("punctual.http")
public record PunctualHttpProperties(
    @Nullable String path, @DefaultValue("false") boolean readOnly) {}
