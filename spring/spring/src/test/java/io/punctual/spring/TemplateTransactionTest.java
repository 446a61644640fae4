package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.StoredMessage;
import io.punctual.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests a template in transactions of the application, on the database of the store. */
class TemplateTransactionTest extends SqlTransactionFixture {
  private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();
  private PunctualTemplate template;

  @Override
  HikariDataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    return pool;
  }

  @BeforeEach
  void createTemplate() {
    template = template(TransactionMode.AFTER_COMMIT);
    // The queue exists, so that no transaction creates it.
    plain.schedule(message("older"));
  }

  private PunctualTemplate template(TransactionMode mode) {
    return new PunctualTemplate(
        new PunctualQueues(
            punctual,
            PunctualCodecs.standard(),
            TransactionMode.BEFORE_COMMIT,
            Duration.ofMinutes(1),
            transactions),
        mode);
  }

  /** Starts a worker that records each message, and whether the row of the message exists. */
  private Worker work() {
    return plain.work(
        delivery -> {
          boolean committed =
              jdbc.queryForList("SELECT id FROM orders WHERE id = ?", delivery.id()).size() == 1;
          handled.add(delivery.id() + (committed ? " with its row" : " without its row"));
        });
  }

  private void placeNow(String id) {
    jdbc.update("INSERT INTO orders VALUES (?)", id);
    assertThat(template.schedule(name, Message.of("payload").id(id))).isEqualTo(id);
  }

  @Test
  void commit_handlerSeesTheRow_andRollback_deliversNothing() throws Exception {
    try (Worker worker = work()) {
      transaction.executeWithoutResult(
          status -> {
            placeNow("1");
            status.setRollbackOnly();
          });
      assertThatThrownBy(
              () ->
                  transaction.executeWithoutResult(
                      status -> {
                        placeNow("2");
                        throw new EmptyResultDataAccessException(1);
                      }))
          .isInstanceOf(EmptyResultDataAccessException.class);
      transaction.executeWithoutResult(status -> placeNow("3"));
      assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("3 with its row");
    }
    assertThat(handled).isEmpty();
    assertThat(stored()).isEmpty();
  }

  @Test
  void commitOfATransactionOfADifferentDataSource_isFollowedByTheMessage() throws Exception {
    try (Worker worker = work();
        HikariDataSource other = pool()) {
      TransactionTemplate separate =
          new TransactionTemplate(new DataSourceTransactionManager(other));
      separate.executeWithoutResult(
          status -> {
            template.schedule(name, Message.of("payload").id("1"));
            status.setRollbackOnly();
          });
      separate.executeWithoutResult(
          status -> template.schedule(name, Message.of("payload").id("2")));
      assertThat(handled.poll(60, TimeUnit.SECONDS)).startsWith("2 ");
    }
    assertThat(handled).isEmpty();
  }

  @Test
  @Tag("extended")
  void change_needsNoSecondConnection() throws Exception {
    List<Connection> others = new ArrayList<>();
    try {
      transaction.executeWithoutResult(
          status -> {
            others.addAll(otherConnections());
            placeNow("1");
            template.schedule(name, Message.of(5).id("2").dueIn(HOUR));
            template.cancel(name, "older");
          });
    } finally {
      for (Connection each : others) {
        each.close();
      }
    }
    assertThat(stored()).containsExactly("1", "2");
    assertThat(plain.find("older")).isEmpty();
  }

  /** Takes all connections that the pool still has; the store keeps some of them. */
  private List<Connection> otherConnections() {
    List<Connection> others = new ArrayList<>();
    pool.setConnectionTimeout(250);
    try {
      while (true) {
        others.add(pool.getConnection());
      }
    } catch (java.sql.SQLTransientConnectionException empty) {
      return others;
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      pool.setConnectionTimeout(30_000);
    }
  }

  @Test
  void changesOfAllTypes_keepTheirOrder() {
    Instant later = Instant.now().plus(Duration.ofDays(2)).truncatedTo(ChronoUnit.SECONDS);
    transaction.executeWithoutResult(
        status -> {
          template.schedule(name, Message.of("text").id("1").dueIn(HOUR));
          template.cancel(name, "1");
          template.schedule(name, Message.of(7).id("1").dueIn(HOUR));
          template.schedule(name, Message.of("first").id("2").dueIn(HOUR));
          template.schedule(name, Message.of("second").id("2").dueIn(HOUR), IfPresent.REPLACE);
          template.reschedule(name, "2", Due.at(later));
        });
    assertThat(plain.find("1")).get().extracting(StoredMessage::payload).isEqualTo("7");
    assertThat(plain.find("2")).get().extracting(StoredMessage::payload).isEqualTo("second");
    assertThat(plain.find("2")).get().extracting(StoredMessage::dueAt).isEqualTo(later);
  }

  @Test
  void savepointAndRequiresNew_areTransactionsOfTheirOwn() {
    TransactionTemplate nested = inner(TransactionDefinition.PROPAGATION_NESTED);
    TransactionTemplate separate = inner(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    transaction.executeWithoutResult(
        outer -> {
          nested.executeWithoutResult(
              inner -> {
                template.schedule(name, message("1"));
                inner.setRollbackOnly();
              });
          separate.executeWithoutResult(inner -> template.schedule(name, message("2")));
          assertThat(stored()).containsExactly("2");
          template.schedule(name, message("3"));
          outer.setRollbackOnly();
        });
    assertThat(stored()).containsExactly("2");
  }

  @Test
  void payloadWithoutACodec_failsAtTheCall() {
    PunctualTemplate plainCodecs =
        new PunctualTemplate(new PunctualQueues(punctual, PlainCodecs.INSTANCE));
    transaction.executeWithoutResult(
        status ->
            assertThatThrownBy(() -> plainCodecs.schedule(name, 5, HOUR))
                .isInstanceOf(IllegalArgumentException.class));
  }

  @Test
  void modeNone_isSentAtOnce() {
    transaction.executeWithoutResult(
        status -> {
          template(TransactionMode.NONE).schedule(name, message("1"));
          assertThat(stored()).containsExactly("1");
          status.setRollbackOnly();
        });
    assertThat(stored()).containsExactly("1");
  }

  @Test
  void withoutTransaction_isSentAtOnce() {
    template.schedule(name, message("1"));
    assertThat(stored()).containsExactly("1");
    template.cancel(name, "1");
    assertThat(stored()).isEmpty();
    assertThat(template.schedule(name, "generated", HOUR)).isNotEmpty();
  }
}
