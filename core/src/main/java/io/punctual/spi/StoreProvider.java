package io.punctual.spi;

import io.punctual.timer.DueTimer;
import java.util.Set;

/**
 * Opens the stores of some URL schemes. {@link java.util.ServiceLoader} finds providers; a provider
 * has a public constructor without arguments and keeps no state.
 */
public interface StoreProvider {
  /** Returns the schemes of this provider, in lower case, without the colon. */
  Set<String> schemes();

  /**
   * Opens the store at {@code url}. May block until the store has answered.
   *
   * @param timer the client's timer, for the store's own waits
   * @throws IllegalArgumentException if the store does not know an option of the URL
   * @throws io.punctual.PunctualException if the store can't be opened; the message names the
   *     remedy
   */
  Store open(StoreUrl url, DueTimer timer);
}
