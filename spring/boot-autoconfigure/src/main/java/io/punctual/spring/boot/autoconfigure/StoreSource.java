package io.punctual.spring.boot.autoconfigure;

import io.punctual.PunctualBuilder;

/** Names the store of a client. The first source in the order of the beans is used. */
@FunctionalInterface
interface StoreSource {
  /** Sets the store or its URL; returns false if this source knows none. */
  boolean applyTo(PunctualBuilder builder);
}
