package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A queue on the memory store, and transactions on a real database. */
abstract class TransactionFixture {
  static final Duration HOUR = Duration.ofHours(1);

  final JdbcDataSource database = new JdbcDataSource();
  final Punctual punctual = Punctual.open("memory:");
  final PunctualQueues queues = new PunctualQueues(punctual, PunctualCodecs.standard());
  final TimedQueue<String> plain = punctual.queue("orders", Codec.string());
  final TransactionalQueue<String> queue = queues.transactional("orders", String.class);
  JdbcTemplate jdbc;
  DataSourceTransactionManager manager;
  TransactionTemplate transaction;

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
    jdbc.execute("SHUTDOWN");
  }

  void place(String id) {
    jdbc.update("INSERT INTO orders VALUES (?)", id);
    assertThat(queue.schedule(message(id))).isEqualTo(id);
  }

  static Message<String> message(String id) {
    return Message.of("payload " + id).id(id).dueIn(HOUR);
  }

  int rows() {
    return jdbc.queryForList("SELECT id FROM orders").size();
  }

  boolean isStored(String id) {
    return plain.find(id).isPresent();
  }

  /** A callback that runs before the callbacks of queues. */
  abstract static class Step implements TransactionSynchronization {
    @Override
    public int getOrder() {
      return Ordered.HIGHEST_PRECEDENCE;
    }
  }

  static void first(Step step) {
    TransactionSynchronizationManager.registerSynchronization(step);
  }
}
