package io.punctual.internal.client;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds the store for a URL on the class path or module path. */
final class Stores {
  private static final String PORT = "[0-9]{1,5}(/[0-9]*)?";

  private Stores() {}

  /**
   * Opens the store at {@code url}.
   *
   * @throws IllegalArgumentException if no store has the scheme; the message names the known
   *     schemes
   */
  static Store open(StoreUrl url, DueTimer timer) {
    TreeSet<String> known = new TreeSet<>();
    for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader())) {
      if (provider.schemes().contains(url.scheme())) {
        return provider.open(url, timer);
      }
      known.addAll(provider.schemes());
    }
    if (url.location().matches(PORT)) {
      throw new IllegalArgumentException(
          "The store's URL begins with '%s:', which is not a store; for Redis write redis://%s"
              .formatted(url.scheme(), url.scheme() + ":" + url.location()));
    }
    throw new IllegalArgumentException(
        "No store for '"
            + url.scheme()
            + ":' is on the class path; there are "
            + known
            + ". Add the module of the store, such as punctual-redis or punctual-journal");
  }

  private static ClassLoader loader() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null ? Stores.class.getClassLoader() : context;
  }
}
