package io.punctual.memory;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.util.Set;

/**
 * Opens {@code memory:}, a new and empty {@link MemoryStore} each time. The store's only option is
 * {@code partitions}, as in {@code memory:?partitions=4}; see {@link
 * MemoryStore.Builder#partitions}. The provider is stateless, so it is safe for use by many
 * threads.
 */
public final class MemoryStoreProvider implements StoreProvider {
  private static final String PARTITIONS = "partitions";

  /** Called by {@link java.util.ServiceLoader}. */
  public MemoryStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public Store open(StoreUrl url, DueTimer timer) {
    url.requireKnownOptions(Set.of(PARTITIONS));
    if (!url.location().isEmpty()) {
      throw new IllegalArgumentException(
          "A memory store has no location: write memory: and not memory:" + url.location());
    }
    MemoryStore.Builder builder = MemoryStore.builder();
    url.number(PARTITIONS).ifPresent(builder::partitions);
    return builder.build();
  }
}
