package io.punctual.cli.output;

import io.punctual.Punctual;

/** Opens a store by its URL. */
@FunctionalInterface
public interface StoreOpener {
  /** Returns a client of the store; the caller closes it. */
  Punctual open(String url);
}
