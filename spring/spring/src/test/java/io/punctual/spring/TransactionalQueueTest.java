package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientClosedException;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tests changes of a queue on the memory store, in transactions on a real database. */
class TransactionalQueueTest extends TransactionFixture {
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
    TransactionTemplate inner = requiresNew();
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
  void cancelOfAScheduleInTheTransaction_withdrawsIt() {
    List<Boolean> stored = new ArrayList<>();
    transaction.executeWithoutResult(
        status -> {
          String generated = queue.schedule("due now", Duration.ZERO);
          queue.cancel(generated);
          place("given");
          queue.cancel("given");
          first(
              new Step() {
                @Override
                public void afterCommit() {
                  stored.add(isStored(generated) || isStored("given"));
                }
              });
        });
    assertThat(stored).containsExactly(false);
  }

  @Test
  void cancelAfterASavepoint_rollbackKeepsTheSchedule() {
    TransactionTemplate nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    transaction.executeWithoutResult(
        outer -> {
          place("1");
          place("2");
          nested.executeWithoutResult(
              inner -> {
                queue.cancel("1");
                inner.setRollbackOnly();
              });
        });
    assertThat(isStored("1")).isTrue();
    assertThat(isStored("2")).isTrue();
  }

  @Test
  void cancelOfAnOlderMessage_isSentAlthoughItsScheduleIsWithdrawn() {
    plain.schedule(message("1"));
    transaction.executeWithoutResult(
        status -> {
          queue.schedule(message("1"));
          queue.cancel("1");
        });
    assertThat(isStored("1")).isFalse();
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
  void firstScheduleInBeforeCommit_isSentAfterTheCommit() {
    List<Boolean> stored = new ArrayList<>();
    transaction.executeWithoutResult(
        status ->
            first(
                new Step() {
                  @Override
                  public void beforeCommit(boolean readOnly) {
                    queue.schedule(message("1"));
                  }

                  @Override
                  public void afterCommit() {
                    stored.add(isStored("1"));
                  }
                }));
    assertThat(stored).containsExactly(false);
    assertThat(isStored("1")).isTrue();
  }

  @Test
  void laterScheduleInBeforeCommit_isSentBeforeTheCommit() {
    List<Boolean> stored = new ArrayList<>();
    transaction.executeWithoutResult(
        status -> {
          queue.schedule(message("1"));
          first(
              new Step() {
                @Override
                public void beforeCommit(boolean readOnly) {
                  queue.schedule(message("2"));
                }

                @Override
                public void afterCommit() {
                  stored.add(isStored("2"));
                }
              });
        });
    assertThat(stored).containsExactly(true);
  }

  private static void afterCompletion(Runnable action) {
    first(
        new Step() {
          @Override
          public void afterCompletion(int status) {
            action.run();
          }
        });
  }

  private TransactionTemplate requiresNew() {
    TransactionTemplate own = new TransactionTemplate(manager);
    own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    return own;
  }

  @Test
  void newTransactionInACallbackAfterARollback_storesItsMessages() {
    transaction.executeWithoutResult(
        status -> {
          afterCompletion(() -> requiresNew().executeWithoutResult(own -> place("own")));
          place("1");
          status.setRollbackOnly();
        });
    assertThat(isStored("own")).isTrue();
    assertThat(isStored("1")).isFalse();
  }

  @Test
  void newTransactionInACallbackAfterACommit_rollsBackItsOwnMessages() {
    transaction.executeWithoutResult(
        status -> {
          afterCompletion(
              () ->
                  requiresNew()
                      .executeWithoutResult(
                          own -> {
                            place("own");
                            own.setRollbackOnly();
                          }));
          place("1");
        });
    assertThat(isStored("own")).isFalse();
    assertThat(isStored("1")).isTrue();
  }

  @Test
  void schedulesOfTheSameId_keepTheirOrder() {
    transaction.executeWithoutResult(
        status -> {
          queue.schedule(Message.of("other").id("0").dueIn(HOUR));
          queue.schedule(Message.of("first").id("1").dueIn(HOUR), IfPresent.REJECT);
          queue.schedule(Message.of("second").id("1").dueIn(HOUR));
        });
    assertThat(plain.find("1")).get().extracting(StoredMessage::payload).isEqualTo("first");
  }

  @Test
  void scheduleInAfterCommit_isSent() {
    transaction.executeWithoutResult(
        status ->
            first(
                new Step() {
                  @Override
                  public void afterCommit() {
                    queues.transactional("orders", String.class).schedule(message("after"));
                  }
                }));
    assertThat(isStored("after")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        TransactionDefinition.PROPAGATION_SUPPORTS,
        TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
        TransactionDefinition.PROPAGATION_NEVER
      })
  void emptyTransaction_isSentAtOnce(int propagation) {
    TransactionTemplate empty = new TransactionTemplate(manager);
    empty.setPropagationBehavior(propagation);
    assertThatThrownBy(
            () ->
                empty.executeWithoutResult(
                    status -> {
                      queue.schedule(message("1"));
                      throw new IllegalStateException("after the schedule");
                    }))
        .hasMessage("after the schedule");
    assertThat(isStored("1")).isTrue();
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
