package io.punctual.memory;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.Timer;
import java.util.Set;

/**
 * Opens {@code memory:}, a new and empty {@link MemoryStore} each time. The one option is {@code
 * lanes}, as in {@code memory:?lanes=4}; see {@link MemoryStore.Builder#lanes}. Stateless, so safe
 * for use by many threads.
 */
public final class MemoryStoreProvider implements StoreProvider {
  private static final String LANES = "lanes";

  /** Called by {@link java.util.ServiceLoader}. */
  public MemoryStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public Store open(StoreUrl url, Timer timer) {
    url.requireKnownOptions(Set.of(LANES));
    if (!url.location().isEmpty()) {
      throw new IllegalArgumentException(
          "A memory store has no location: write memory: and not memory:" + url.location());
    }
    MemoryStore.Builder builder = MemoryStore.builder();
    url.option(LANES).ifPresent(lanes -> builder.lanes(number(lanes)));
    return builder.build();
  }

  private static int number(String lanes) {
    try {
      return Integer.parseInt(lanes);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("lanes must be a number, but was '" + lanes + "'", e);
    }
  }
}
