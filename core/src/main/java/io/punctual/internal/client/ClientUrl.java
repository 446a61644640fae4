package io.punctual.internal.client;

import io.punctual.Startup;
import io.punctual.internal.log.SafeUrl;
import io.punctual.internal.message.Checks;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store's URL, and the options in it that belong to the client. Immutable. */
public final class ClientUrl {
  private final StoreUrl store;
  private final @Nullable Duration operationTimeout;
  private final @Nullable Duration blockingTimeout;

  private ClientUrl(StoreUrl url) {
    operationTimeout = time(url, StoreUrl.OPERATION_TIMEOUT);
    blockingTimeout = time(url, StoreUrl.BLOCKING_TIMEOUT);
    Map<String, String> storeOptions = new LinkedHashMap<>(url.options());
    StoreUrl.CLIENT_OPTIONS.forEach(storeOptions::remove);
    store = new StoreUrl(url.scheme(), url.location(), storeOptions);
  }

  /**
   * Parses a URL.
   *
   * @throws IllegalArgumentException if the text is not the URL of a store, or a time-out in it is
   *     wrong
   */
  public static ClientUrl parse(String url) {
    return new ClientUrl(StoreUrl.parse(url));
  }

  /**
   * Opens the store.
   *
   * @param timeout how long to wait for the store with {@link Startup#WAIT}
   * @throws IllegalArgumentException if no store has the scheme; the message names the known
   *     schemes
   */
  public Store open(DueTimer timer, Startup startup, Duration timeout) {
    return OpeningRule.open(describe(), () -> Stores.open(store, timer), startup, timeout);
  }

  /** Returns the store's URL without its options and without a user and a password. */
  private String describe() {
    return SafeUrl.of(store.scheme() + ":" + store.location());
  }

  /** Returns the URL's option {@code operationTimeout}; empty if the URL does not have it. */
  public Optional<Duration> operationTimeout() {
    return Optional.ofNullable(operationTimeout);
  }

  /** Returns the URL's option {@code blockingTimeout}; empty if the URL does not have it. */
  public Optional<Duration> blockingTimeout() {
    return Optional.ofNullable(blockingTimeout);
  }

  private static @Nullable Duration time(StoreUrl url, String name) {
    return url.time(name).map(time -> Checks.timeout(time, name)).orElse(null);
  }
}
