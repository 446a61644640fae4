package io.punctual.spring.boot.test.transaction;

import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.PunctualTransactions;
import java.time.Duration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An application whose listener acks in its own transaction. */
@SpringBootApplication
class TransactionalShop {
  private final JdbcTemplate database;
  private final PunctualTemplate punctual;
  private final PunctualTransactions transactions;

  TransactionalShop(
      JdbcTemplate database, PunctualTemplate punctual, PunctualTransactions transactions) {
    this.database = database;
    this.punctual = punctual;
    this.transactions = transactions;
    database.execute("CREATE TABLE orders (id VARCHAR PRIMARY KEY, status VARCHAR)");
  }

  @Transactional
  public void place(String id) {
    database.update("INSERT INTO orders VALUES (?, 'OPEN')", id);
    punctual.schedule("timeouts", Message.of(id).id(id).dueIn(Duration.ofMinutes(30)));
    if (id.equals("refused")) {
      throw new IllegalStateException("rollback");
    }
  }

  @Transactional
  @PunctualListener(value = "timeouts", maxAttempts = "3")
  public void close(Delivery<String> delivery) {
    database.update("UPDATE orders SET status = 'CLOSED' WHERE id = ?", delivery.payload());
    delivery.ack(transactions.current());
    if (delivery.payload().equals("flaky") && delivery.attempt() == 1) {
      throw new IllegalStateException("rollback");
    }
    transactions.current();
  }

  String status(String id) {
    return database
        .queryForList("SELECT status FROM orders WHERE id = ?", String.class, id)
        .stream()
        .findFirst()
        .orElse("none");
  }
}
