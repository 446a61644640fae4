package io.punctual.spring.boot.autoconfigure;

import io.punctual.PunctualBuilder;

/**
 * Sets the store of a client. The client uses the first source, in the order of the beans, that
 * knows a store.
 */
@FunctionalInterface
interface StoreSource {
  /** Sets the store or its URL; returns false if this source knows no store. */
  boolean applyTo(PunctualBuilder builder);
}
