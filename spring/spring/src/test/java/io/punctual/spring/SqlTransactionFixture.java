package io.punctual.spring;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import io.punctual.jdbc.JdbcStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A queue on the SQL store, and transactions of the application on the database of the store. */
abstract class SqlTransactionFixture {
  static final Duration HOUR = Duration.ofHours(1);

  final List<Event> events = new CopyOnWriteArrayList<>();
  String name;
  HikariDataSource pool;
  Punctual punctual;
  PunctualTransactions transactions;
  TimedQueue<String> plain;
  TransactionalQueue<String> queue;
  JdbcTemplate jdbc;
  DataSourceTransactionManager manager;
  TransactionTemplate transaction;

  /** Returns a new pool of connections to the database. */
  abstract HikariDataSource pool();

  @BeforeEach
  void open() {
    name = "orders-" + UUID.randomUUID();
    events.clear();
    pool = pool();
    jdbc = new JdbcTemplate(pool);
    jdbc.execute("CREATE TABLE IF NOT EXISTS orders (id VARCHAR(100) PRIMARY KEY)");
    jdbc.update("DELETE FROM orders");
    manager = new DataSourceTransactionManager(pool);
    transaction = new TransactionTemplate(manager);
    punctual =
        Punctual.builder()
            .store(JdbcStore.builder().dataSource(pool).createTables(true).listen(false).open())
            .observer(events::add)
            .build();
    plain = punctual.queue(name, Codec.string());
    transactions = new PunctualTransactions(pool);
    queue = queue(TransactionMode.BEFORE_COMMIT);
  }

  TransactionalQueue<String> queue(TransactionMode mode) {
    return new PunctualQueues(
            punctual, PunctualCodecs.standard(), mode, Duration.ofMinutes(1), transactions)
        .transactional(name, String.class);
  }

  @AfterEach
  void close() {
    punctual.close();
    // The store gives its last connections back on a thread of its own.
    await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    pool.close();
  }

  void place(String id) {
    jdbc.update("INSERT INTO orders VALUES (?)", id);
    queue.schedule(message(id));
  }

  static Message<String> message(String id) {
    return Message.of("payload " + id).id(id).dueIn(HOUR);
  }

  List<String> rows() {
    return jdbc.queryForList("SELECT id FROM orders ORDER BY id", String.class);
  }

  List<String> stored() {
    return plain.findAll(List.of("1", "2", "3", "new")).stream()
        .flatMap(Optional::stream)
        .map(StoredMessage::id)
        .sorted()
        .toList();
  }

  TransactionTemplate inner(int propagation) {
    TransactionTemplate inner = new TransactionTemplate(manager);
    inner.setPropagationBehavior(propagation);
    return inner;
  }

  /** Returns the ids of the published {@link Event.MessageScheduled} events. */
  List<String> announced() {
    return events.stream()
        .filter(Event.MessageScheduled.class::isInstance)
        .map(event -> ((Event.MessageScheduled) event).id())
        .toList();
  }

  /** Runs an action after the commit, before the queue sends further changes. */
  static void first(Runnable action) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
          }

          @Override
          public void afterCommit() {
            action.run();
          }
        });
  }
}
