package io.punctual.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the resources of stores and locks, and the methods of {@code ConnectionHolder}, for
 * native images.
 */
final class StoreRuntimeHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("io/punctual/redis/*.lua");
    hints.resources().registerPattern("io/punctual/redis/client/*.lua");
    hints.resources().registerPattern("io/punctual/lock/*.lua");
    hints.resources().registerPattern("META-INF/services/io.punctual.spi.StoreProvider");
    hints
        .reflection()
        .registerTypeIfPresent(
            loader,
            "org.springframework.jdbc.datasource.ConnectionHolder",
            MemberCategory.INVOKE_DECLARED_METHODS);
  }
}
