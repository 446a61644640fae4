package io.punctual.spring.boot.autoconfigure;

import io.punctual.PunctualBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Sets the store of a client. The client uses the first source, in the order of the beans, that
 * knows a store.
 */
@FunctionalInterface
interface StoreSource {
  /**
   * Sets the store or its URL.
   *
   * @return the name of the configuration that the store comes from, for the log, or null if this
   *     source knows no store
   */
  @Nullable String applyTo(PunctualBuilder builder);
}
