package io.punctual.cli.output;

import io.punctual.Punctual;

@FunctionalInterface
public interface StoreOpener {
  /** Returns a client of the store; the caller closes it. */
  Punctual open(String url);
}
