package io.punctual.spi;

import io.punctual.timer.DueTimer;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.TreeSet;

/**
 * Finds the store for a URL on the class path or module path, for tools that work on stores
 * themselves. Applications open a {@link io.punctual.Punctual} instead. Safe for use by many
 * threads.
 */
public final class Stores {
  private static final String PORT = "[0-9]{1,5}(/[0-9]*)?";

  private Stores() {}

  /**
   * Opens the store at {@code url}. The caller closes the store.
   *
   * @param timer the timer for the store's own waits; it must stay open until the store is closed
   * @throws IllegalArgumentException if no store has the scheme, or the store does not know an
   *     option; the message names the known schemes or options
   * @throws io.punctual.PunctualException if the store can't be opened; the message names the
   *     remedy
   */
  public static Store open(StoreUrl url, DueTimer timer) {
    TreeSet<String> known = new TreeSet<>();
    for (ClassLoader loader : loaders()) {
      for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
        if (provider.schemes().contains(url.scheme())) {
          return provider.open(url, timer);
        }
        known.addAll(provider.schemes());
      }
    }
    if (url.location().matches(PORT)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "The store's URL begins with '%s:', which is not a store; for Redis write redis://%s",
              url.scheme(),
              url.scheme() + ":" + url.location()));
    }
    throw new IllegalArgumentException(
        "No store for '"
            + url.scheme()
            + ":' is on the class path; there are "
            + known
            + ". Add the module of the store, such as punctual-redis or punctual-journal");
  }

  /** Returns the class loaders to search; threads of a server may lack the application's loader. */
  private static List<ClassLoader> loaders() {
    ClassLoader own = Stores.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null || context == own ? List.of(own) : List.of(context, own);
  }
}
