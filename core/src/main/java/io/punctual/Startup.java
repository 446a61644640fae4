package io.punctual;

/** How {@link PunctualBuilder#build} treats a store that can't be opened yet. */
public enum Startup {
  /** Throws the failure of the first attempt to open the store. */
  FAIL,
  /**
   * Tries again until the store is open, and throws when {@link PunctualBuilder#startupTimeout} has
   * passed. A failure that a later attempt can't fix, such as an unknown option, throws at once.
   */
  WAIT,
  /**
   * Returns a client that opens the store in the background. Until the store is open, operations
   * fail with {@link StoreUnavailableException} as in any outage. Workers claim once the store is
   * open.
   */
  BACKGROUND
}
