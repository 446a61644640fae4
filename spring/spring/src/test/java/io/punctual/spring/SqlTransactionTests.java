package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.StoredMessage;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests changes of queues in transactions of the application, on the database of the store. */
abstract class SqlTransactionTests extends SqlTransactionFixture {
  @Test
  void commit_storesTheMessagesWithTheRows() {
    transaction.executeWithoutResult(
        status -> {
          place("1");
          place("2");
          assertThat(stored()).isEmpty();
        });
    assertThat(rows()).containsExactly("1", "2");
    assertThat(stored()).containsExactly("1", "2");
    assertThat(announced()).containsExactly("1", "2");
  }

  @Test
  void commitFails_messagesWithGivenIdsAreAbsentToo() {
    TransactionTemplate failing =
        new TransactionTemplate(
            new DataSourceTransactionManager(pool) {
              @Override
              protected void doCommit(DefaultTransactionStatus status) {
                super.doRollback(status);
                throw new ConcurrencyFailureException("the version of the row is old");
              }
            });
    assertThatThrownBy(() -> failing.executeWithoutResult(status -> place("1")))
        .isInstanceOf(ConcurrencyFailureException.class);
    assertThat(rows()).isEmpty();
    assertThat(stored()).isEmpty();
    assertThat(announced()).isEmpty();
  }

  @Test
  void rollbackOnly_storesNothing() {
    transaction.executeWithoutResult(
        status -> {
          place("1");
          queue.schedule("generated", HOUR);
          transactions.current();
          status.setRollbackOnly();
        });
    assertThat(plain.counts().pending()).isZero();
    assertThat(announced()).isEmpty();
  }

  @Test
  void cancelRescheduleAndReplace_commitWithTheTransaction() {
    plain.schedule(message("1"));
    plain.schedule(message("2"));
    plain.schedule(message("3"));
    Instant later = Instant.now().plus(Duration.ofDays(2)).truncatedTo(ChronoUnit.SECONDS);
    transaction.executeWithoutResult(
        status -> {
          queue.cancel("1");
          queue.reschedule("2", Due.at(later));
          queue.schedule(Message.of("replaced").id("3").dueIn(HOUR), IfPresent.REPLACE);
          // The commit already contains these changes. Other stores would receive them after this
          // callback.
          first(() -> assertChanged(later));
        });
    assertChanged(later);
  }

  private void assertChanged(Instant later) {
    assertThat(plain.find("1")).isEmpty();
    assertThat(plain.find("2")).get().extracting(StoredMessage::dueAt).isEqualTo(later);
    assertThat(plain.find("3")).get().extracting(StoredMessage::payload).isEqualTo("replaced");
  }

  @Test
  void savepoint_rollbackDropsMessagesAndTheirEvents() {
    TransactionTemplate nested = inner(TransactionDefinition.PROPAGATION_NESTED);
    transaction.executeWithoutResult(
        outer -> {
          scheduleNow("1");
          nested.executeWithoutResult(
              inner -> {
                scheduleNow("2");
                inner.setRollbackOnly();
              });
          nested.executeWithoutResult(inner -> scheduleNow("3"));
        });
    assertThat(stored()).containsExactly("1", "3");
    assertThat(announced()).containsExactly("1", "3");
  }

  @Test
  void savepointBeforeTheFirstChange_rollbackDropsItsEvents() {
    TransactionTemplate nested = inner(TransactionDefinition.PROPAGATION_NESTED);
    transaction.executeWithoutResult(
        outer -> {
          nested.executeWithoutResult(
              inner -> {
                scheduleNow("1");
                queue.schedule(message("2"));
                inner.setRollbackOnly();
              });
          queue.schedule(message("3"));
        });
    assertThat(stored()).containsExactly("3");
    assertThat(announced()).containsExactly("3");
  }

  private void scheduleNow(String id) {
    plain.inTransaction(transactions.current()).schedule(message(id));
  }

  @Test
  void requiresNew_commitsItsOwnMessages() {
    transaction.executeWithoutResult(
        status -> {
          queue.schedule(message("1"));
          inner(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
              .executeWithoutResult(ignored -> queue.schedule(message("3")));
          assertThat(plain.find("3")).isPresent();
          status.setRollbackOnly();
        });
    assertThat(stored()).containsExactly("3");
    assertThat(announced()).containsExactly("3");
  }

  @Test
  void readOnly_sendsTheMessages() {
    transaction.setReadOnly(true);
    transaction.executeWithoutResult(status -> queue.schedule(message("1")));
    assertThat(stored()).containsExactly("1");
  }

  @Test
  void modeAfterCommit_joinsTheTransactionToo() {
    TransactionalQueue<String> after = queue(TransactionMode.AFTER_COMMIT);
    transaction.executeWithoutResult(
        status -> {
          after.schedule(message("1"));
          first(() -> assertThat(stored()).containsExactly("1"));
        });
    assertThat(stored()).containsExactly("1");
  }

  @Test
  void withoutTransaction_isSentAtOnce_andCurrentFails() {
    queue.schedule(message("1"));
    assertThat(stored()).containsExactly("1");
    assertNoTransaction();
    inner(TransactionDefinition.PROPAGATION_SUPPORTS)
        .executeWithoutResult(status -> assertNoTransaction());
  }

  private void assertNoTransaction() {
    assertThatThrownBy(transactions::current)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("@Transactional");
  }

  @Test
  void transactionOfADifferentDataSource_sendsBeforeTheCommit() {
    try (HikariDataSource other = pool()) {
      new TransactionTemplate(new DataSourceTransactionManager(other))
          .executeWithoutResult(
              status -> {
                queue.schedule(message("1"));
                assertNoTransaction();
                // This query binds a connection to the thread. The connection commits each
                // statement.
                assertThat(rows()).isEmpty();
                assertNoTransaction();
                first(() -> assertThat(stored()).containsExactly("1"));
              });
    }
    assertThat(stored()).containsExactly("1");
  }

  /**
   * A pool without autocommit lends connections that only a transaction on the pool itself commits.
   */
  @Test
  void transactionOfADifferentDataSource_poolWithoutAutocommit_sendsBeforeTheCommit() {
    try (HikariDataSource other = pool();
        HikariDataSource own = pool()) {
      own.setAutoCommit(false);
      PunctualTransactions ofOwn = new PunctualTransactions(own);
      TransactionalQueue<String> ownQueue =
          new PunctualQueues(
                  punctual,
                  PunctualCodecs.standard(),
                  TransactionMode.BEFORE_COMMIT,
                  Duration.ofMinutes(1),
                  ofOwn)
              .transactional(name, String.class);
      new TransactionTemplate(new DataSourceTransactionManager(other))
          .executeWithoutResult(
              status -> {
                new JdbcTemplate(own).queryForList("SELECT id FROM orders");
                assertThatThrownBy(ofOwn::current).isInstanceOf(IllegalStateException.class);
                ownQueue.schedule(message("1"));
              });
      new TransactionTemplate(new DataSourceTransactionManager(own))
          .executeWithoutResult(status -> ownQueue.schedule(message("2")));
    }
    assertThat(stored()).containsExactly("1", "2");
  }

  @Test
  void changeWhileTheDatabaseCommits_rollsTheTransactionBack() {
    TransactionTemplate flushing =
        new TransactionTemplate(
            new DataSourceTransactionManager(pool) {
              @Override
              protected void doCommit(DefaultTransactionStatus status) {
                queue.schedule(message("2"));
                super.doCommit(status);
              }
            });
    ((DataSourceTransactionManager) flushing.getTransactionManager())
        .setRollbackOnCommitFailure(true);
    assertThatThrownBy(() -> flushing.executeWithoutResult(status -> place("1")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("EntityManager.flush()");
    assertThat(rows()).isEmpty();
    assertThat(stored()).isEmpty();
    assertThat(announced()).isEmpty();
  }

  @Test
  void proxyOfTheDataSource_findsTheTransaction() {
    PunctualTransactions proxied =
        new PunctualTransactions(new TransactionAwareDataSourceProxy(pool));
    transaction.executeWithoutResult(
        status -> plain.inTransaction(proxied.current()).schedule(message("1")));
    assertThat(stored()).containsExactly("1");
  }

  @Test
  void changesAfterTheCommit_areSentWithoutTheTransaction() {
    transaction.executeWithoutResult(
        status -> {
          queue.schedule(message("1"));
          first(
              () -> {
                queue.schedule(message("2"));
                assertNoTransaction();
              });
        });
    transaction.executeWithoutResult(status -> first(() -> queue.schedule(message("3"))));
    assertThat(stored()).containsExactly("1", "2", "3");
  }

  @Test
  void refusedChange_rollsTheTransactionBack() {
    jdbc.execute("ALTER TABLE punctual_message RENAME TO hidden");
    try {
      assertThatThrownBy(() -> transaction.executeWithoutResult(status -> place("1")))
          .isInstanceOf(PunctualException.class);
    } finally {
      jdbc.execute("ALTER TABLE hidden RENAME TO punctual_message");
    }
    assertThat(rows()).isEmpty();
    assertThat(stored()).isEmpty();
  }

  @Test
  void ack_inTheHandlersTransaction_commitsWithItsRow() throws InterruptedException {
    BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
    List<String> failures = new ArrayList<>(List.of("before the ack", "after the ack"));
    plain.schedule(Message.of("payload").id("1").dueIn(Duration.ZERO));
    plain.work(
        WorkerOptions.builder().retryPolicy(RetryPolicy.fixed(Duration.ofMillis(1))).build(),
        delivery -> {
          transaction.executeWithoutResult(status -> handle(delivery, failures));
          attempts.add(delivery.attempt());
        });
    assertThat(attempts.poll(60, TimeUnit.SECONDS)).isEqualTo(3);
    assertThat(rows()).containsExactly("1");
    assertThat(stored()).isEmpty();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> events.stream().anyMatch(Event.MessageAcked.class::isInstance));
  }

  private void handle(Delivery<String> delivery, List<String> failures) {
    jdbc.update("INSERT INTO orders VALUES (?)", delivery.id());
    if (failures.remove("before the ack")) {
      throw new IllegalStateException("The handler failed before the ack");
    }
    delivery.ack(transactions.current());
    if (failures.remove("after the ack")) {
      throw new IllegalStateException("The handler failed after the ack");
    }
  }

  @Test
  void rollbackWithoutAnException_afterTheAck_isRetriedAndCounted() throws InterruptedException {
    BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
    plain.schedule(Message.of("payload").id("1").dueIn(Duration.ZERO));
    plain.work(
        WorkerOptions.builder()
            .lease(HOUR)
            .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(1)))
            .build(),
        delivery -> {
          transaction.executeWithoutResult(
              status -> {
                delivery.ack(transactions.current());
                if (delivery.attempt() == 1) {
                  status.setRollbackOnly();
                }
              });
          attempts.add(delivery.attempt());
        });
    // Without a retry, the message would be delivered again only after the lease of an hour.
    assertThat(attempts.poll(60, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(attempts.poll(60, TimeUnit.SECONDS)).isEqualTo(2);
    await().atMost(Duration.ofMinutes(1)).until(() -> stored().isEmpty());
    assertThat(events)
        .filteredOn(Event.MessageRetried.class::isInstance)
        .singleElement()
        .asString()
        .contains("rolled back");
  }

  /**
   * Runs an action before the commit, as {@code @TransactionalEventListener(BEFORE_COMMIT)} does.
   */
  private void beforeCommit(Runnable action) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void beforeCommit(boolean readOnly) {
            action.run();
          }
        });
  }

  @Test
  void firstChangeInBeforeCommit_commitsWithTheTransaction() {
    transaction.executeWithoutResult(
        status -> {
          beforeCommit(() -> place("1"));
          first(() -> assertThat(stored()).containsExactly("1"));
        });
    assertThat(rows()).containsExactly("1");
    assertThat(stored()).containsExactly("1");
    assertThat(announced()).containsExactly("1");
  }

  @Test
  void firstChangeInBeforeCommit_laterCallbackFails_rollsBackToo() {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      beforeCommit(() -> place("1"));
                      beforeCommit(
                          () -> {
                            throw new IllegalStateException("the second callback failed");
                          });
                    }))
        .hasMessageContaining("second callback");
    assertThat(rows()).isEmpty();
    assertThat(stored()).isEmpty();
  }
}
