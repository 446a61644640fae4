package io.punctual.cli;

import io.punctual.Punctual;

/** Opens a store by its URL. */
@FunctionalInterface
interface StoreOpener {
  /** Returns a client of the store; the caller closes it. */
  Punctual open(String url);
}
