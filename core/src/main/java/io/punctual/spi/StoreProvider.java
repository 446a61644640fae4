package io.punctual.spi;

import io.punctual.timer.Timer;
import java.util.Set;

/**
 * Opens stores of some URL schemes. Found by {@link java.util.ServiceLoader}; needs a public
 * constructor without arguments, and keeps no state.
 */
public interface StoreProvider {
  /** Returns the schemes it answers to, in lower case, without the colon. */
  Set<String> schemes();

  /**
   * Opens the store at {@code url}. May block until the store has been reached.
   *
   * @param timer the client's timer, for the store's own waits
   * @throws IllegalArgumentException if the URL has an option that the store does not know
   * @throws io.punctual.PunctualException if the store can't be opened; the message says what to do
   */
  Store open(StoreUrl url, Timer timer);
}
