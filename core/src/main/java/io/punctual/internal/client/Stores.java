package io.punctual.internal.client;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.Timer;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds the store of a URL among those on the class or module path. */
final class Stores {
  private static final String PORT = "[0-9]{1,5}(/[0-9]*)?";

  private Stores() {}

  /**
   * Opens the store at {@code url}.
   *
   * @throws IllegalArgumentException if nobody knows the scheme; the message names the known ones
   */
  static Store open(StoreUrl url, Timer timer) {
    TreeSet<String> known = new TreeSet<>();
    for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader())) {
      if (provider.schemes().contains(url.scheme())) {
        return provider.open(url, timer);
      }
      known.addAll(provider.schemes());
    }
    if (url.location().matches(PORT)) {
      throw new IllegalArgumentException(
          "The store's URL begins with '%s:', which is no kind of store; for Redis write redis://%s"
              .formatted(url.scheme(), url.scheme() + ":" + url.location()));
    }
    throw new IllegalArgumentException(
        "No store for '"
            + url.scheme()
            + ":' is on the class path; there are "
            + known
            + ". Add the module that brings it, such as punctual-redis or punctual-journal");
  }

  private static ClassLoader loader() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null ? Stores.class.getClassLoader() : context;
  }
}
