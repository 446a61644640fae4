package io.punctual.spring.boot.test;

import io.punctual.jdbc.JdbcTransaction;
import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.boot.autoconfigure.PunctualDataSource;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Gives a test with the store in memory the access to transactions that the SQL store has. The
 * configuration of the store itself is too early to see the application's data source.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({JdbcTransaction.class, DataSourceUtils.class})
@ConditionalOnBean(value = DataSource.class, name = "punctualTestStore")
public final class PunctualTestTransactionsAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  static PunctualTransactions punctualTransactions(
      ObjectProvider<DataSource> application,
      @PunctualDataSource ObjectProvider<DataSource> marked) {
    DataSource found = marked.getIfAvailable();
    return new PunctualTransactions(found == null ? application.getObject() : found);
  }
}
