package io.punctual.spring.boot.autoconfigure;

import io.punctual.spi.StoreUrl;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;

/**
 * The URL of the store. A container takes precedence over a Redis URL of the properties, because
 * the port of a container is only known at run time. A container does not take precedence over a
 * URL of a different kind of store.
 */
final class StoreAddress {
  private final @Nullable String url;
  private final ObjectProvider<PunctualConnectionDetails> details;

  StoreAddress(@Nullable String url, ObjectProvider<PunctualConnectionDetails> details) {
    this.url = url;
    this.details = details;
  }

  record OfProperties(String url, @Nullable SslBundle bundle) implements PunctualConnectionDetails {
    @Override
    public String getUrl() {
      return url;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
      return bundle;
    }

    /** Returns the name of the property only, because the URL can have a password. */
    @Override
    public String toString() {
      return source(this);
    }
  }

  /** Returns the address, or null if neither a bean nor a property names a URL. */
  @Nullable PunctualConnectionDetails find() {
    PunctualConnectionDetails found = details.getIfAvailable();
    return found instanceof ServiceConnectionDetails && url != null && !isRedis(url)
        ? new OfProperties(url, null)
        : found;
  }

  /** Returns the address if it is the address of Redis or Valkey; otherwise null. */
  @Nullable PunctualConnectionDetails findRedis() {
    PunctualConnectionDetails found = find();
    return found == null || !isRedis(found.getUrl()) ? null : found;
  }

  private static boolean isRedis(String url) {
    return isOf("redis", url);
  }

  /**
   * Returns whether a URL is that of a kind of store. A text that is no URL is of no kind; whoever
   * opens it says so.
   */
  static boolean isOf(String kind, String url) {
    try {
      return StoreUrl.parse(url).scheme().startsWith(kind);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Names the configuration that an address comes from. */
  static String source(PunctualConnectionDetails details) {
    if (details instanceof OfProperties) {
      return "punctual.url";
    }
    return details instanceof ServiceConnectionDetails
        ? "a container of @ServiceConnection or Docker Compose"
        : "a bean of PunctualConnectionDetails";
  }
}
