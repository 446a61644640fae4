package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Changes of queues in transactions of a real database. */
class TransactionalQueueTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final JdbcDataSource database = new JdbcDataSource();
  private final Punctual punctual = Punctual.open("memory:");
  private final PunctualQueues queues = new PunctualQueues(punctual, PunctualCodecs.standard());
  private final TimedQueue<String> plain = punctual.queue("orders", Codec.string());
  private final TransactionalQueue<String> queue = queues.transactional("orders", String.class);
  private JdbcTemplate jdbc;
  private DataSourceTransactionManager manager;
  private TransactionTemplate transaction;

  @BeforeEach
  void open() {
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    jdbc = new JdbcTemplate(database);
    jdbc.execute("CREATE TABLE orders (id VARCHAR PRIMARY KEY)");
    manager = new DataSourceTransactionManager(database);
    transaction = new TransactionTemplate(manager);
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  private void place(String id) {
    jdbc.update("INSERT INTO orders VALUES (?)", id);
    assertThat(queue.schedule(message(id))).isEqualTo(id);
  }

  private static Message<String> message(String id) {
    return Message.of("payload " + id).id(id).dueIn(HOUR);
  }

  private int rows() {
    return jdbc.queryForList("SELECT id FROM orders").size();
  }

  private boolean isStored(String id) {
    return plain.find(id).isPresent();
  }

  @Test
  void commit_storesTheMessages() {
    transaction.executeWithoutResult(
        status -> {
          place("1");
          place("2");
          assertThat(isStored("1")).isFalse();
        });
    assertThat(rows()).isEqualTo(2);
    assertThat(plain.counts().scheduled()).isEqualTo(2);
  }

  @Test
  void rollback_storesNothing() {
    transaction.executeWithoutResult(
        status -> {
          place("1");
          queue.cancel("older");
          status.setRollbackOnly();
        });
    assertThat(rows()).isZero();
    assertThat(plain.counts().pending()).isZero();
  }

  @Test
  void storeDown_rollsTheTransactionBack() {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      place("1");
                      punctual.close();
                    }))
        .isInstanceOf(ClientClosedException.class);
    assertThat(rows()).isZero();
  }

  @Test
  void rollbackAfterTheSchedules_cancelsThem() {
    plain.schedule(message("older"));
    TransactionTemplate failing = new TransactionTemplate(commitFails(true));
    assertThatThrownBy(
            () ->
                failing.executeWithoutResult(
                    status -> {
                      place("1");
                      queue.schedule("generated", HOUR);
                      queue.schedule(message("older"));
                    }))
        .isInstanceOf(TransactionSystemException.class);
    assertThat(plain.counts().scheduled()).isEqualTo(1);
    assertThat(isStored("older")).isTrue();
  }

  @Test
  void unknownOutcome_keepsTheMessages() {
    TransactionTemplate failing = new TransactionTemplate(commitFails(false));
    assertThatThrownBy(() -> failing.executeWithoutResult(status -> place("1")))
        .isInstanceOf(TransactionSystemException.class);
    assertThat(isStored("1")).isTrue();
  }

  private DataSourceTransactionManager commitFails(boolean rollback) {
    DataSourceTransactionManager failing =
        new DataSourceTransactionManager(database) {
          @Override
          protected void doCommit(DefaultTransactionStatus status) {
            throw new TransactionSystemException("the commit failed");
          }
        };
    failing.setRollbackOnCommitFailure(rollback);
    return failing;
  }

  @Test
  void savepoint_rollbackDropsTheChangesAfterIt() {
    plain.schedule(message("older"));
    TransactionTemplate nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    transaction.executeWithoutResult(
        outer -> {
          place("1");
          nested.executeWithoutResult(
              inner -> {
                place("2");
                queue.cancel("older");
                inner.setRollbackOnly();
              });
          nested.executeWithoutResult(inner -> place("3"));
        });
    assertThat(rows()).isEqualTo(2);
    assertThat(isStored("1")).isTrue();
    assertThat(isStored("2")).isFalse();
    assertThat(isStored("3")).isTrue();
    assertThat(isStored("older")).isTrue();
  }

  @Test
  void requiresNew_commitsItsOwnMessages() {
    TransactionTemplate inner = new TransactionTemplate(manager);
    inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    transaction.executeWithoutResult(
        status -> {
          place("outer");
          inner.executeWithoutResult(ignored -> place("inner"));
          assertThat(isStored("inner")).isTrue();
          assertThat(isStored("outer")).isFalse();
          status.setRollbackOnly();
        });
    assertThat(isStored("inner")).isTrue();
    assertThat(isStored("outer")).isFalse();
  }

  @Test
  void cancelAndReschedule_followTheCommit() {
    plain.schedule(message("cancelled"));
    plain.schedule(message("moved"));
    Instant later =
        Instant.now().plus(Duration.ofDays(2)).truncatedTo(java.time.temporal.ChronoUnit.SECONDS);
    transaction.executeWithoutResult(
        status -> {
          queue.cancel("cancelled");
          queue.reschedule("moved", Due.at(later));
          assertThat(isStored("cancelled")).isTrue();
        });
    assertThat(isStored("cancelled")).isFalse();
    assertThat(plain.find("moved")).get().extracting(StoredMessage::dueAt).isEqualTo(later);
  }

  @Test
  void cancelThenSchedule_keepsTheNewMessage() {
    plain.schedule(Message.of("old").id("1").dueIn(HOUR));
    transaction.executeWithoutResult(
        status -> {
          queue.cancel("1");
          queue.schedule(Message.of("new").id("1").dueIn(HOUR));
        });
    assertThat(plain.find("1")).get().extracting(StoredMessage::payload).isEqualTo("new");
  }

  @Test
  void replace_followsTheCommit() {
    plain.schedule(Message.of("old").id("1").dueIn(HOUR));
    transaction.executeWithoutResult(
        status -> {
          queue.schedule(Message.of("new").id("1").dueIn(HOUR), IfPresent.REPLACE);
          status.setRollbackOnly();
        });
    assertThat(plain.find("1")).get().extracting(StoredMessage::payload).isEqualTo("old");
  }

  @Test
  void storeDownAfterTheCommit_throwsAndNamesTheCommit() {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      jdbc.update("INSERT INTO orders VALUES ('1')");
                      queue.cancel("1");
                      punctual.close();
                    }))
        .hasMessageContaining("The transaction is committed");
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void scheduleInALaterPhase_isNotLost() {
    transaction.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void beforeCommit(boolean readOnly) {
                    queue.schedule(message("before"));
                  }

                  @Override
                  public void afterCommit() {
                    queues.transactional("orders", String.class).schedule(message("after"));
                  }
                }));
    assertThat(isStored("before")).isTrue();
    assertThat(isStored("after")).isTrue();
  }

  @Test
  void withoutTransaction_isSentAtOnce() {
    queue.schedule(message("1"));
    assertThat(isStored("1")).isTrue();
    queue.cancel("1");
    assertThat(isStored("1")).isFalse();
  }

  @Test
  void modes_afterCommitAndNone() {
    PunctualQueues after =
        new PunctualQueues(punctual, PunctualCodecs.standard(), TransactionMode.AFTER_COMMIT, HOUR);
    PunctualQueues none =
        new PunctualQueues(punctual, PunctualCodecs.standard(), TransactionMode.NONE, HOUR);
    transaction.executeWithoutResult(
        status -> {
          after.transactional("orders", String.class).schedule(message("after"));
          none.transactional("orders", String.class).schedule(message("none"));
          assertThat(isStored("after")).isFalse();
          assertThat(isStored("none")).isTrue();
        });
    assertThat(isStored("after")).isTrue();
  }

  @Test
  void reactorThread_isRefused() {
    assertThatThrownBy(
            () ->
                Mono.fromCallable(() -> queue.schedule("x", HOUR))
                    .subscribeOn(Schedulers.parallel())
                    .block())
        .hasStackTraceContaining("sees no reactive transaction");
  }
}
