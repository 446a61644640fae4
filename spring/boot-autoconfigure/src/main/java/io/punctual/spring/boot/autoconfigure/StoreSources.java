package io.punctual.spring.boot.autoconfigure;

/**
 * The {@code @Order} values of the sources of a store. The source with the lowest value is asked
 * first. The application's {@code DataSource} precedes the URLs, because the {@code DataSource}
 * takes precedence over the URL of a container. If the application itself names a URL, the {@code
 * DataSource} is not used.
 */
final class StoreSources {
  static final int DATA_SOURCE = 0;
  static final int REDIS_URL = 50;
  static final int URL = 100;
  static final int DATA_REDIS = 200;

  private StoreSources() {}
}
