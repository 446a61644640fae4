package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import io.punctual.jdbc.JdbcStore;
import io.punctual.spi.Store;
import io.punctual.spring.PunctualTransactions;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Configures the SQL store on the application's {@code DataSource}, and access to its transactions.
 * A configured URL, or a client, store or {@code PunctualConnectionDetails} of the application,
 * takes precedence. A Redis container that Spring Boot has found does not.
 */
@AutoConfiguration(
    before = PunctualAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "io.punctual.spring.boot.test.PunctualTestAutoConfiguration"
    })
@ConditionalOnClass({JdbcStore.class, DataSourceUtils.class})
@ConditionalOnBooleanProperty(name = "punctual.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(
    value = {Punctual.class, Store.class, PunctualConnectionDetails.class},
    ignored = ServiceConnectionDetails.class)
@Conditional({PunctualJdbcAutoConfiguration.NoUrl.class, PunctualJdbcAutoConfiguration.Found.class})
@EnableConfigurationProperties(PunctualProperties.class)
public final class PunctualJdbcAutoConfiguration {
  @Bean
  @Order(StoreSources.DATA_SOURCE)
  @DependsOnDatabaseInitialization
  static StoreSource punctualDataSourceStore(
      PunctualProperties properties,
      ObjectProvider<DataSource> application,
      @PunctualDataSource ObjectProvider<DataSource> marked,
      ObjectProvider<JdbcStoreBuilderCustomizer> customizers) {
    DataSource source = choose(application, marked);
    PunctualProperties.Jdbc jdbc = properties.jdbc();
    return client -> {
      client.store(
          "the application's DataSource",
          () -> {
            JdbcStore.Builder builder =
                JdbcStore.builder()
                    .dataSource(source)
                    .createTables(jdbc.createTables())
                    .threads(jdbc.threads())
                    .listen(jdbc.listen());
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder.open();
          });
      return "the application's DataSource";
    };
  }

  @Bean
  @ConditionalOnMissingBean
  static PunctualTransactions punctualTransactions(
      ObjectProvider<DataSource> application,
      @PunctualDataSource ObjectProvider<DataSource> marked) {
    return new PunctualTransactions(choose(application, marked));
  }

  private static DataSource choose(
      ObjectProvider<DataSource> application, ObjectProvider<DataSource> marked) {
    DataSource found = marked.getIfAvailable();
    return found == null ? application.getObject() : found;
  }

  /** Matches if no URL names a store. */
  static final class NoUrl extends NoneNestedConditions {
    NoUrl() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty("punctual.url")
    static final class Url {}
  }

  /**
   * Matches if the application has a single or primary data source, or marks the data source of the
   * store.
   */
  static final class Found extends AnyNestedCondition {
    Found() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnSingleCandidate(DataSource.class)
    static final class Single {}

    @ConditionalOnBean(value = DataSource.class, annotation = PunctualDataSource.class)
    static final class Marked {}
  }
}
