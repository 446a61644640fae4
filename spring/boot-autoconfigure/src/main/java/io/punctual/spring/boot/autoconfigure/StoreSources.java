package io.punctual.spring.boot.autoconfigure;

/**
 * The {@code @Order} values of the sources of a store. The source with the lowest value is asked
 * first.
 */
final class StoreSources {
  static final int REDIS_URL = 0;
  static final int URL = 100;
  static final int DATA_SOURCE = 150;
  static final int DATA_REDIS = 200;

  private StoreSources() {}
}
