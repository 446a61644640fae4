package io.punctual.internal.client;

import io.punctual.Startup;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/** Opens a store according to a {@link Startup}. */
public final class OpeningRule {
  /**
   * The longest time that {@link Startup#BACKGROUND} waits before it returns a client. Within this
   * time, a running store normally opens. If the opening fails in this time with an error that a
   * retry cannot fix, the caller receives the error.
   */
  private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(1);

  private OpeningRule() {}

  /**
   * Opens the store.
   *
   * @param description the store's URL without secrets
   * @param timeout how long to wait for the store with {@link Startup#WAIT}
   * @throws NullPointerException if the opener returns null before this method ends
   */
  public static Store open(
      String description, Supplier<Store> opener, Startup startup, Duration timeout) {
    Supplier<Store> checked = () -> opened(description, opener);
    if (startup == Startup.FAIL) {
      return checked.get();
    }
    StoreOpening opening = new StoreOpening(description, checked);
    opening.start();
    Store opened = opening.await(startup == Startup.WAIT ? timeout : FIRST_ATTEMPT);
    if (opened != null) {
      return opened;
    }
    if (startup == Startup.WAIT) {
      return openedAtTheEnd(opening, timeout);
    }
    return new LateStore(opening);
  }

  private static Store openedAtTheEnd(StoreOpening opening, Duration timeout) {
    opening.close();
    Store opened = opening.store();
    if (opened == null) {
      throw opening.timedOut(timeout);
    }
    return opened;
  }

  private static Store opened(String description, Supplier<Store> opener) {
    return Objects.requireNonNull(
        opener.get(),
        () -> "The opener of " + description + " returned null; it must return an open store");
  }
}
