package io.punctual.spring.boot.autoconfigure;

import io.punctual.jdbc.JdbcStore;

/**
 * A bean that changes the builder of the SQL store on the application's {@code DataSource}, after
 * the properties were applied. The store keeps its access to the application's transactions. A
 * store that the application defines as a bean of {@link JdbcStore} has such access only with a
 * bean of {@code PunctualTransactions}.
 */
@FunctionalInterface
public interface JdbcStoreBuilderCustomizer {
  /** Changes the builder. */
  void customize(JdbcStore.Builder builder);
}
