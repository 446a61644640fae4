package io.punctual.spring.boot.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.boot.autoconfigure.PunctualAutoConfiguration;
import io.punctual.spring.boot.autoconfigure.PunctualDataSource;
import io.punctual.spring.boot.autoconfigure.PunctualJdbcAutoConfiguration;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;

/**
 * Tests changes of queues in transactions of Spring Boot's JPA transaction manager, with Hibernate.
 */
class JpaTransactionTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class,
                  DataSourceInitializationAutoConfiguration.class,
                  DataSourceTransactionManagerAutoConfiguration.class,
                  HibernateJpaAutoConfiguration.class,
                  TransactionAutoConfiguration.class,
                  PunctualJdbcAutoConfiguration.class,
                  PunctualAutoConfiguration.class))
          .withUserConfiguration(Application.class)
          .withPropertyValues(
              "spring.datasource.generate-unique-name=true",
              "spring.jpa.hibernate.ddl-auto=create",
              "punctual.jdbc.create-tables=true");

  @Configuration(proxyBeanMethods = false)
  @EntityScan(basePackageClasses = PlacedOrder.class)
  @Import({PlacedOrder.Action.class, Shop.class, Closing.class})
  static class Application {}

  /** The listener. It is a separate bean, so that Spring can put a proxy in front of it. */
  static class Closing {
    private final EntityManager entities;
    private final PunctualTransactions transactions;

    Closing(EntityManager entities, PunctualTransactions transactions) {
      this.entities = entities;
      this.transactions = transactions;
    }

    @Transactional
    @PunctualListener("closing")
    public void close(Delivery<String> delivery) {
      entities.persist(new PlacedOrder(delivery.payload(), "attempt " + delivery.attempt()));
      delivery.ack(transactions.current());
      if (delivery.attempt() == 1) {
        throw new IllegalStateException("The first attempt fails after its ack");
      }
    }
  }

  private interface ShopTest {
    void run(Shop shop) throws Exception;
  }

  private void run(ShopTest test) {
    run(runner, test);
  }

  private static void run(ApplicationContextRunner runner, ShopTest test) {
    runner.run(
        context -> {
          assertThat(context)
              .getBean("transactionManager")
              .isInstanceOf(JpaTransactionManager.class);
          test.run(context.getBean(Shop.class));
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "none=default",
        "spring.datasource.connection-fetch=lazy",
        "spring.datasource.hikari.auto-commit=false"
      })
  void commit_storesTheMessageWithTheRow(String property) {
    run(
        runner.withPropertyValues(property),
        shop -> {
          shop.inTransaction(
              () -> {
                shop.place("1");
                shop.plain.inTransaction(shop.transactions.current()).schedule(Shop.message("2"));
                assertThat(shop.stored()).isEmpty();
              });
          assertThat(shop.rows()).containsExactly("1");
          assertThat(shop.stored()).containsExactly("1", "2");
        });
  }

  @Test
  void rollback_storesNothing() {
    run(
        shop -> {
          assertThatThrownBy(
                  () ->
                      shop.inTransaction(
                          () -> {
                            shop.place("1");
                            shop.plain
                                .inTransaction(shop.transactions.current())
                                .schedule(Shop.message("2"));
                            shop.entities.flush();
                            throw new UnsupportedOperationException("The order is refused");
                          }))
              .isInstanceOf(UnsupportedOperationException.class);
          assertThat(shop.rows()).isEmpty();
          assertThat(shop.stored()).isEmpty();
        });
  }

  /**
   * At the commit, Hibernate flushes after the statements of the queue. If the flush fails, these
   * statements must have no effect.
   */
  @Test
  void flushOfTheCommitFails_storesNothing() {
    run(
        shop -> {
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 1")));
          assertThatThrownBy(() -> shop.inTransaction(() -> shop.place("1")))
              .isInstanceOf(DataIntegrityViolationException.class);
          assertThatThrownBy(
                  () ->
                      shop.inTransaction(
                          () -> {
                            shop.change("0");
                            shop.queue.schedule(Shop.message("2"));
                            shop.inner(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                .executeWithoutResult(status -> shop.change("0"));
                          }))
              .isInstanceOf(OptimisticLockingFailureException.class);
          assertThat(shop.rows()).containsExactly("0");
          assertThat(shop.stored()).isEmpty();
        });
  }

  @Test
  void furtherChangeInTheFlushOfTheCommit_rollsTheTransactionBack() {
    run(
        shop -> {
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 0")));
          shop.callback.body = () -> shop.queue.schedule(Shop.message("2"));
          assertThatThrownBy(
                  () ->
                      shop.inTransaction(
                          () -> {
                            shop.place("1");
                            shop.change("0");
                          }))
              .hasRootCauseInstanceOf(IllegalStateException.class)
              .hasStackTraceContaining("call EntityManager.flush()");
          assertThat(shop.rows()).containsExactly("0");
          assertThat(shop.stored()).isEmpty();
        });
  }

  @Test
  void furtherChangeInAnEarlierFlush_isPartOfTheTransaction() {
    run(
        shop -> {
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 0")));
          shop.callback.body = () -> shop.queue.schedule(Shop.message("2"));
          shop.inTransaction(
              () -> {
                shop.place("1");
                shop.change("0");
                shop.entities.flush();
              });
          assertThat(shop.rows()).containsExactly("0", "1");
          assertThat(shop.stored()).containsExactly("1", "2");
        });
  }

  @Test
  void firstChangeInTheFlushOfTheCommit_isSentAfterTheCommit() {
    run(
        shop -> {
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 0")));
          shop.callback.body = () -> shop.queue.schedule(Shop.message("2"));
          shop.inTransaction(() -> shop.change("0"));
          assertThat(shop.stored()).containsExactly("2");
        });
  }

  /**
   * Like {@link #flushOfTheCommitFails_storesNothing()}, but the transaction's first message is
   * scheduled during the flush, in the callback of the entity.
   */
  @Test
  void firstChangeInAFlushThatFails_isNotSent() {
    run(
        shop -> {
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 0")));
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("1", "changed")));
          shop.callback.body = () -> shop.queue.schedule(Shop.message("2"));
          assertThatThrownBy(() -> shop.inTransaction(() -> shop.change("0")))
              .isInstanceOf(DataIntegrityViolationException.class);
          assertThat(shop.stored()).isEmpty();
        });
  }

  @Test
  void requiresNew_commitsItsOwnMessage() {
    run(
        shop -> {
          shop.template.executeWithoutResult(
              outer -> {
                shop.place("1");
                shop.inner(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(status -> shop.place("2"));
                assertThat(shop.stored()).containsExactly("2");
                outer.setRollbackOnly();
              });
          assertThat(shop.rows()).containsExactly("2");
          assertThat(shop.stored()).containsExactly("2");
        });
  }

  @Test
  void nested_isRefusedBySpring() {
    run(
        shop ->
            shop.inTransaction(
                () ->
                    assertThatThrownBy(
                            () ->
                                shop.inner(TransactionDefinition.PROPAGATION_NESTED)
                                    .executeWithoutResult(status -> shop.place("1")))
                        .isInstanceOf(NestedTransactionNotSupportedException.class)));
  }

  @Test
  void readOnly_isSentAtTheCommit() {
    run(
        shop -> {
          shop.template.setReadOnly(true);
          shop.inTransaction(() -> shop.queue.schedule(Shop.message("1")));
          assertThat(shop.stored()).containsExactly("1");
        });
  }

  @Test
  void listener_acksInItsTransaction() {
    run(
        runner.withPropertyValues(
            "punctual.listener.retry.type=fixed", "punctual.listener.retry.first=1ms"),
        shop -> {
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 0")));
          shop.closing.schedule(Message.of("1").id("1").dueIn(Duration.ZERO));
          await().atMost(Duration.ofMinutes(1)).until(() -> shop.closing.find("1").isEmpty());
          assertThat(shop.rows()).containsExactly("0", "1");
          assertThat(shop.entities.find(PlacedOrder.class, "1").number).isEqualTo("attempt 2");
        });
  }

  /** Configures a database for the store that is not the database of the entities. */
  @Configuration(proxyBeanMethods = false)
  static class TwoDatabases {
    @Bean
    @Primary
    DataSource entities() {
      return database();
    }

    @Bean
    @PunctualDataSource
    DataSource messages() {
      return database();
    }

    private static DataSource database() {
      JdbcDataSource source = new JdbcDataSource();
      source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
      return source;
    }
  }

  @Test
  void storeOnADifferentDataSource_sendsBeforeTheCommit() {
    run(
        runner.withUserConfiguration(TwoDatabases.class),
        shop -> {
          shop.inTransaction(
              () -> {
                shop.place("1");
                assertThatThrownBy(shop.transactions::current)
                    .isInstanceOf(IllegalStateException.class);
              });
          assertThat(shop.stored()).containsExactly("1");
          shop.inTransaction(() -> shop.entities.persist(new PlacedOrder("0", "number 2")));
          assertThatThrownBy(() -> shop.inTransaction(() -> shop.place("2")))
              .isInstanceOf(DataIntegrityViolationException.class);
          assertThat(shop.stored()).as("sent before the flush").containsExactly("1", "2");
        });
  }
}
