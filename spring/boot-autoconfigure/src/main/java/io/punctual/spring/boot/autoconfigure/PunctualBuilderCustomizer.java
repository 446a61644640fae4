package io.punctual.spring.boot.autoconfigure;

import io.punctual.PunctualBuilder;

/** A bean that changes the builder of the client, after the properties were applied. */
@FunctionalInterface
public interface PunctualBuilderCustomizer {
  /** Changes the builder. */
  void customize(PunctualBuilder builder);
}
