package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests messages that change their states between the steps of a purge. */
final class PurgeTest {
  /**
   * The number of messages. A purge visits 4096 messages in a step, so it visits the last message
   * in its fourth step.
   */
  private static final int MESSAGES = 3 * 4096 + 1;

  @TempDir Path folder;
  private JournalStore store;
  private Session session;
  private Reply.Claimed last;

  @BeforeEach
  void leaseTheLastMessage() {
    store = JournalStore.builder(folder).fsync(Fsync.OS).open();
    session = Session.of(store, "q");
    List<Operation> schedules = new ArrayList<>();
    for (int i = 1; i < MESSAGES; i++) {
      schedules.add(Session.scheduling("m" + i, Session.FAR));
      if (schedules.size() == 256) {
        session.apply(schedules.toArray(Operation[]::new));
        schedules.clear();
      }
    }
    session.apply(schedules.toArray(Operation[]::new));
    session.schedule("last", Session.PAST);
    last = session.claim(1);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void purge_deadLetterBuriedMeanwhile_staysDead() {
    CompletableFuture<Long> purged = purgeAndThen(State.DEAD, bury());
    assertThat(Session.await(purged)).isZero();
    assertThat(Session.await(session.partition().counts().toCompletableFuture()).dead())
        .isEqualTo(1);
  }

  @Test
  void purge_messageRetriedMeanwhile_staysScheduled() {
    CompletableFuture<Long> purged = purgeAndThen(State.SCHEDULED, retry());
    assertThat(Session.await(purged)).isEqualTo(MESSAGES - 1);
    assertThat(Session.await(session.partition().counts().toCompletableFuture()).scheduled())
        .isEqualTo(1);
  }

  /**
   * Begins a purge and sends a settlement, which is executed between the first and the last step of
   * the purge.
   */
  private CompletableFuture<Long> purgeAndThen(State state, Operation settlement) {
    CompletableFuture<Long> purged = session.partition().purge(Set.of(state)).toCompletableFuture();
    Session.await(session.sendNext(new Call.Apply(List.of(settlement), null)));
    return purged;
  }

  private Operation bury() {
    return new Operation.Bury("last", last.token(), new byte[0]);
  }

  private Operation retry() {
    return new Operation.Retry("last", last.token(), Session.FAR, new byte[0]);
  }
}
