package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.jdbc.JdbcStore;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.TransactionalQueue;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests the conditions of the SQL store on the application's data source. */
@ExtendWith(OutputCaptureExtension.class)
class PunctualJdbcAutoConfigurationTest {
  /** A runner whose database has no tables. */
  private final ApplicationContextRunner bare =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class,
                  DataSourceTransactionManagerAutoConfiguration.class,
                  DataSourceInitializationAutoConfiguration.class,
                  TransactionAutoConfiguration.class,
                  PunctualJdbcAutoConfiguration.class,
                  PunctualAutoConfiguration.class))
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  private final ApplicationContextRunner runner =
      bare.withPropertyValues("punctual.jdbc.create-tables=true");

  private static DataSource database(String name) {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + name + "-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }

  private static int messages(DataSource source) {
    Integer count =
        new JdbcTemplate(source).queryForObject("SELECT count(*) FROM punctual_message", int.class);
    return count == null ? 0 : count;
  }

  @Test
  void dataSource_schedulesJoinTheTransaction() {
    runner.run(
        context -> {
          TransactionalQueue<String> queue =
              context.getBean(PunctualQueues.class).transactional("orders", String.class);
          DataSource source = context.getBean(DataSource.class);
          TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
          transaction.executeWithoutResult(status -> queue.schedule("kept", Duration.ofHours(1)));
          assertThat(messages(source)).isEqualTo(1);
          transaction.executeWithoutResult(
              status -> {
                queue.schedule("dropped", Duration.ofHours(1));
                status.setRollbackOnly();
              });
          assertThat(messages(source)).isEqualTo(1);
        });
  }

  @Test
  void template_joinsTheTransaction_unlessTheModeIsNone() {
    runner.run(context -> assertThat(messagesAfterARollback(context)).isZero());
    runner
        .withPropertyValues("punctual.transaction.mode=none")
        .run(context -> assertThat(messagesAfterARollback(context)).isEqualTo(1));
  }

  private static int messagesAfterARollback(ApplicationContext context) {
    PunctualTemplate template = context.getBean(PunctualTemplate.class);
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              template.schedule("orders", "42", Duration.ofHours(1));
              status.setRollbackOnly();
            });
    return messages(context.getBean(DataSource.class));
  }

  static class Closing {
    final CountDownLatch acked = new CountDownLatch(1);
    private final JdbcTemplate jdbc;
    private final PunctualTransactions transactions;

    Closing(DataSource source, PunctualTransactions transactions) {
      this.jdbc = new JdbcTemplate(source);
      this.transactions = transactions;
    }

    CountDownLatch acked() {
      return acked;
    }

    @Transactional
    @PunctualListener("orders")
    public void close(Delivery<String> delivery) {
      jdbc.update("INSERT INTO closed VALUES (?)", delivery.payload());
      if (delivery.attempt() == 1) {
        throw new IllegalStateException("The first attempt fails");
      }
      delivery.ack(transactions.current());
      acked.countDown();
    }
  }

  @Test
  void transactionalListener_acksInItsTransaction() {
    runner
        .withPropertyValues(
            "punctual.listener.retry.type=fixed", "punctual.listener.retry.first=1ms")
        .withBean(Closing.class)
        .run(
            context -> {
              DataSource source = context.getBean(DataSource.class);
              new JdbcTemplate(source).execute("CREATE TABLE closed (id VARCHAR PRIMARY KEY)");
              context.getBean(PunctualTemplate.class).schedule("orders", "42", Duration.ZERO);
              assertThat(context.getBean(Closing.class).acked().await(60, TimeUnit.SECONDS))
                  .isTrue();
              await().atMost(Duration.ofMinutes(1)).until(() -> messages(source) == 0);
              assertThat(
                      new JdbcTemplate(source).queryForList("SELECT id FROM closed", String.class))
                  .containsExactly("42");
            });
  }

  @Test
  void missingTables_failWithAdvice() {
    bare.run(
        context -> {
          assertThat(context).hasFailed();
          var analysis = new StoreRefusedFailureAnalyzer().analyze(context.getStartupFailure());
          assertThat(analysis.getDescription()).contains("V1__punctual.sql");
          assertThat(analysis.getAction()).contains("punctual.jdbc.create-tables=true");
        });
  }

  /**
   * Spring Boot orders scripts, Flyway and Liquibase by the same rule, so the test uses scripts.
   */
  @Test
  void scripts_createTheTablesBeforeTheStoreOpens() {
    bare.withPropertyValues(
            "spring.sql.init.schema-locations=classpath:io/punctual/jdbc/h2/V1__punctual.sql,"
                + "classpath:io/punctual/jdbc/h2/V2__limits.sql,"
                + "classpath:io/punctual/jdbc/h2/V3__pause_notes.sql,"
                + "classpath:io/punctual/jdbc/h2/V4__workers.sql,"
                + "classpath:io/punctual/jdbc/h2/V5__lease_holders.sql")
        .run(context -> assertThat(messages(context.getBean(DataSource.class))).isZero());
  }

  private static void assertMemory(ApplicationContextRunner other) {
    other.run(
        context -> {
          assertThat(context).doesNotHaveBean(PunctualTransactions.class);
          assertThat(context.getBean(Punctual.class).store()).startsWith("memory:");
        });
  }

  @Test
  void url_comesFirst() {
    assertMemory(runner.withPropertyValues("punctual.url=memory:"));
  }

  @Test
  void connectionDetails_comeFirst() {
    assertMemory(runner.withBean(PunctualConnectionDetails.class, () -> () -> "memory:"));
  }

  @Test
  void storeBean_comesFirst() {
    assertMemory(runner.withBean(Store.class, () -> MemoryStore.builder().build()));
  }

  @Test
  void clientBean_comesFirst() {
    assertMemory(runner.withBean(Punctual.class, () -> Punctual.open("memory:")));
  }

  @Test
  void dataSource_comesBeforeDataRedis() {
    runner
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .run(context -> assertThat(context).hasSingleBean(PunctualTransactions.class));
  }

  @Test
  void enabledFalse_hasNoTransactions() {
    runner
        .withPropertyValues("punctual.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(PunctualTransactions.class));
  }

  @Test
  void transactionsBean_replacesOurs() {
    PunctualTransactions own = new PunctualTransactions(database("own"));
    runner
        .withBean(PunctualTransactions.class, () -> own)
        .run(context -> assertThat(context.getBean(PunctualTransactions.class)).isSameAs(own));
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.punctual.jdbc", "org.springframework.jdbc"})
  void withoutTheLibraries_theDataSourceIsNoStore(String library) {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PunctualJdbcAutoConfiguration.class, PunctualAutoConfiguration.class))
        .withBean(DataSource.class, () -> database("plain"))
        .withClassLoader(new FilteredClassLoader(library))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(NoPunctualStoreException.class));
  }

  @Configuration(proxyBeanMethods = false)
  static class Two {
    @Bean
    DataSource first() {
      return database("first");
    }

    @Bean
    DataSource second() {
      return database("second");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoWithPrimary {
    @Bean
    DataSource first() {
      return database("first");
    }

    @Bean
    @Primary
    DataSource second() {
      return database("second");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoWithMark {
    @Bean
    @Primary
    DataSource first() {
      return database("first");
    }

    @Bean
    @PunctualDataSource
    DataSource second() {
      return database("second");
    }
  }

  @Test
  void twoDataSources_failAndNameTheMark() {
    runner
        .withUserConfiguration(Two.class)
        .run(
            context -> {
              assertThat(context).hasFailed();
              assertThat(
                      new NoPunctualStoreFailureAnalyzer()
                          .analyze(context.getStartupFailure())
                          .getAction())
                  .contains("@PunctualDataSource");
            });
  }

  @ParameterizedTest
  @ValueSource(classes = {TwoWithPrimary.class, TwoWithMark.class})
  void twoDataSources_theMarkedDataSourceIsTheStore(Class<?> configuration) {
    runner
        .withUserConfiguration(configuration)
        .run(context -> assertThat(messages(context.getBean("second", DataSource.class))).isZero());
  }

  @Test
  void threads_areThoseOfTheProperty() {
    runner
        .withPropertyValues("punctual.jdbc.threads=1000")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("threads must be between 1 and 256"));
  }

  /**
   * Returns a runner with connection details such as those of a Redis container in Docker Compose.
   */
  private static ApplicationContextRunner withContainer(ApplicationContextRunner runner) {
    ServiceConnectionDetails container = () -> "redis://localhost:1";
    return runner.withBean(ServiceConnectionDetails.class, () -> container);
  }

  @Test
  void containerOfRedis_doesNotReplaceTheDataSource(CapturedOutput output) {
    withContainer(runner)
        .run(
            context -> {
              assertThat(context).hasSingleBean(PunctualTransactions.class);
              assertThat(context.getBean(Punctual.class).store()).startsWith("jdbc:h2:");
              assertThat(output).contains("from the application's DataSource");
            });
  }

  @Test
  void containerOfRedis_doesNotReplaceAUrlOfADifferentStore(CapturedOutput output) {
    assertMemory(withContainer(runner).withPropertyValues("punctual.url=memory:"));
    assertThat(output).contains("The store of Punctual is memory:, from punctual.url");
  }

  @Test
  void customizer_changesTheStore_andKeepsTheTransactions() {
    bare.withBean(JdbcStoreBuilderCustomizer.class, () -> builder -> builder.createTables(true))
        .run(
            context -> {
              assertThat(context).hasSingleBean(PunctualTransactions.class);
              assertThat(messages(context.getBean(DataSource.class))).isZero();
            });
  }

  private ApplicationContextRunner withOwnStore(DataSource source) {
    return runner.withBean(
        Store.class,
        () -> JdbcStore.builder().dataSource(source).createTables(true).listen(false).open());
  }

  @Test
  void storeBeanOfSql_withoutTransactions_isReported(CapturedOutput output) {
    withOwnStore(database("own")).run(context -> assertThat(context).hasNotFailed());
    assertThat(output).contains("WARN", "no bean of PunctualTransactions");
  }

  @Test
  void storeBeanOfSql_withTransactions_isNotReported(CapturedOutput output) {
    DataSource source = database("own");
    withOwnStore(source)
        .withBean(PunctualTransactions.class, () -> new PunctualTransactions(source))
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output).doesNotContain("no bean of PunctualTransactions");
  }
}
