package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import io.punctual.Due;
import io.punctual.Punctual;
import io.punctual.Startup;
import io.punctual.StoreUnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests which messages of a transaction stay in the queue if its commit fails. */
class TransactionOutcomeTest extends TransactionFixture {
  private final PrintStream errors = System.err;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();

  @BeforeEach
  void capture() {
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void release() {
    System.setErr(errors);
    errors.print(lines());
  }

  private String lines() {
    return log.toString(StandardCharsets.UTF_8);
  }

  /**
   * Returns transactions that run an action before the commit. If the action throws, the database
   * does not commit. Otherwise the database commits, and then the commit throws as if its reply
   * were lost.
   */
  private TransactionTemplate commit(Runnable before) {
    return new TransactionTemplate(
        new DataSourceTransactionManager(database) {
          @Override
          protected void doCommit(DefaultTransactionStatus status) {
            before.run();
            super.doCommit(status);
            throw new ConcurrencyFailureException("the reply is lost");
          }
        });
  }

  @Test
  void replyOfTheCommitIsLost_keepsTheMessages() {
    AtomicReference<String> generated = new AtomicReference<>();
    assertThatThrownBy(
            () ->
                commit(() -> {})
                    .executeWithoutResult(
                        status -> {
                          place("1");
                          generated.set(queue.schedule("generated", HOUR));
                        }))
        .isInstanceOf(ConcurrencyFailureException.class);
    assertThat(rows()).isEqualTo(1);
    assertThat(isStored("1")).isTrue();
    assertThat(isStored(generated.get())).isTrue();
  }

  @Test
  void commitFails_keepsTheMessageOfAnotherTransaction() {
    Runnable other =
        () -> {
          CompletableFuture.runAsync(
                  () ->
                      transaction.executeWithoutResult(status -> queue.schedule(message("shared"))))
              .join();
          throw new ConcurrencyFailureException("the version of the row is old");
        };
    assertThatThrownBy(
            () -> commit(other).executeWithoutResult(status -> queue.schedule(message("shared"))))
        .isInstanceOf(ConcurrencyFailureException.class);
    assertThat(isStored("shared")).isTrue();
  }

  @Test
  void otherQueueFails_cancelsGeneratedIdsOnly() {
    try (Punctual away = Punctual.open("memory:")) {
      TransactionalQueue<String> second =
          new PunctualQueues(away, PunctualCodecs.standard()).transactional("more", String.class);
      AtomicReference<String> generated = new AtomicReference<>();
      assertThatThrownBy(
              () ->
                  transaction.executeWithoutResult(
                      status -> {
                        place("given");
                        generated.set(queue.schedule("generated", HOUR));
                        second.schedule("refused", HOUR);
                        away.close();
                      }))
          .isInstanceOf(ClientClosedException.class);
      await().atMost(Duration.ofMinutes(1)).until(() -> !isStored(generated.get()));
      assertThat(isStored("given")).isTrue();
      assertThat(rows()).isZero();
    }
  }

  @Test
  void storeAway_failsTheCommit_andCancelsNothing() {
    try (Punctual away =
        Punctual.builder()
            .store(
                "away",
                () -> {
                  throw new StoreUnavailableException("away", null);
                })
            .startup(Startup.BACKGROUND)
            .build()) {
      TransactionalQueue<String> unreachable =
          new PunctualQueues(
                  away,
                  PunctualCodecs.standard(),
                  TransactionMode.BEFORE_COMMIT,
                  Duration.ofMillis(50))
              .transactional("orders", String.class);
      assertThatThrownBy(
              () -> transaction.executeWithoutResult(status -> unreachable.schedule("away", HOUR)))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(lines()).doesNotContain("cancel");
    }
  }

  @Test
  void unknownOutcome_keepsTheMessages_andLogsTheOtherChanges() {
    TransactionTemplate unknown =
        commit(
            () -> {
              throw new TransactionSystemException("connection reset");
            });
    assertThatThrownBy(
            () ->
                unknown.executeWithoutResult(
                    status -> {
                      place("1");
                      queue.cancel("older");
                      queue.reschedule("moved", Due.after(HOUR));
                    }))
        .isInstanceOf(TransactionSystemException.class);
    assertThat(isStored("1")).isTrue();
    assertThat(lines())
        .contains("WARN")
        .contains("'orders'")
        .contains("cancel of 'older', reschedule of 'moved'");
  }
}
