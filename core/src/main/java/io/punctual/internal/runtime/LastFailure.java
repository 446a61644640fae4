package io.punctual.internal.runtime;

import org.jspecify.annotations.Nullable;

/**
 * The last failure of a store that does not answer. {@link StoreHealth} keeps it up to date, and
 * the exceptions of calls that end meanwhile name it. Thread-safe.
 */
public final class LastFailure {
  private volatile @Nullable Throwable failure;

  void failed(Throwable latest) {
    failure = latest;
  }

  void answered() {
    failure = null;
  }

  /** Returns the failure; null if the store answers, or if no call has failed yet. */
  public @Nullable Throwable get() {
    return failure;
  }
}
