package io.punctual.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the scripts of the Redis store and of the locks for native images. */
final class StoreRuntimeHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("io/punctual/redis/*.lua");
    hints.resources().registerPattern("io/punctual/redis/client/*.lua");
    hints.resources().registerPattern("io/punctual/lock/*.lua");
    hints.resources().registerPattern("META-INF/services/io.punctual.spi.StoreProvider");
  }
}
