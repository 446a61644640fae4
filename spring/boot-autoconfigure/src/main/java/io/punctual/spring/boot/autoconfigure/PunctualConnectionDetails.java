package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** The address of the store, for example of a container in a test. */
public interface PunctualConnectionDetails extends ConnectionDetails {
  /** Returns the URL of the store. */
  String getUrl();

  /** Returns the SSL bundle for a {@code rediss:} URL, or null for the JVM's trust store. */
  default @Nullable SslBundle getSslBundle() {
    return null;
  }
}
