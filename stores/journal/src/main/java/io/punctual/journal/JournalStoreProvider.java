package io.punctual.journal;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.nio.file.Path;
import java.util.Set;

/**
 * Opens {@code journal:PATH}, the {@link JournalStore} in a folder, which is made if it is not
 * there. Options: {@code fsync}, which is {@code always} (the default), {@code os}, or an interval
 * such as {@code 200ms}, see {@link Fsync}; and {@code networkFileSystem=allow}. Stateless, so safe
 * for use by many threads.
 */
public final class JournalStoreProvider implements StoreProvider {
  private static final String FSYNC = "fsync";
  private static final String NETWORK = "networkFileSystem";

  /** Called by {@link java.util.ServiceLoader}. */
  public JournalStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("journal");
  }

  @Override
  public Store open(StoreUrl url, DueTimer timer) {
    url.requireKnownOptions(Set.of(FSYNC, NETWORK));
    if (url.location().isEmpty()) {
      throw new IllegalArgumentException(
          "A journal is in a folder: write journal:./data, with the folder's path");
    }
    JournalStore.Builder builder = JournalStore.builder(Path.of(url.location()));
    url.option(FSYNC).map(Fsync::parse).ifPresent(builder::fsync);
    url.option(NETWORK).ifPresent(value -> builder.allowNetworkFileSystem(isAllowed(value)));
    return builder.open();
  }

  private static boolean isAllowed(String value) {
    return switch (value) {
      case "allow" -> true;
      case "refuse" -> false;
      default ->
          throw new IllegalArgumentException(
              NETWORK + " is allow or refuse, but was '" + value + "'");
    };
  }
}
