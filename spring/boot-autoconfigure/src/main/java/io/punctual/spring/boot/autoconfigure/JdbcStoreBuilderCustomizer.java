package io.punctual.spring.boot.autoconfigure;

import io.punctual.jdbc.JdbcStore;

/**
 * A bean that changes the builder of the SQL store on the application's {@code DataSource}, after
 * the properties were applied. The store keeps its access to the application's transactions, which
 * a bean of {@link JdbcStore} would lose.
 */
@FunctionalInterface
public interface JdbcStoreBuilderCustomizer {
  /** Changes the builder. */
  void customize(JdbcStore.Builder builder);
}
