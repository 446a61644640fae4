package io.punctual.spring.boot.autoconfigure;

import io.punctual.view.Redaction;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the endpoints {@code punctual} and {@code punctualdeadletters}.
 *
 * @param showPayloads When to show payloads, headers and failures, which may hold personal data.
 * @param roles Roles of the users who may see payloads; empty for all authenticated users.
 */
@ConfigurationProperties("management.endpoint.punctual")
public record PunctualEndpointProperties(
    @DefaultValue("never") Show showPayloads, @DefaultValue Set<String> roles) {
  /** Returns what the user may see of the contents of messages. */
  Redaction redaction(SecurityContext user) {
    return showPayloads.isShown(user, roles) ? Redaction.NONE : Redaction.CONTENTS;
  }
}
