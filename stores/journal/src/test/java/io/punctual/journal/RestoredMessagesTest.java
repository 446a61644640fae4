package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests messages that were restored with attempts or as dead letters, after a start of the journal.
 */
final class RestoredMessagesTest {
  private static final int SEGMENT = 4096;
  private static final long DUE = 1_700_000_000_000L;
  private static final int MESSAGES = 300;

  private final SimulatedDisk disk = new SimulatedDisk(new Random(5));

  private static OpenJournal open(SimulatedDisk on) {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), Fsync.ALWAYS, SEGMENT, 0, Duration.ZERO);
    try {
      return OpenJournal.open(new Folder(on, () -> {}), options);
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  private static Operation.Restore message(int i) {
    boolean isDead = i % 2 == 0;
    return new Operation.Restore(
        "m" + i,
        DUE + i,
        1 + i,
        ("failures of m" + i).getBytes(UTF_8),
        isDead ? DUE + 2L * i + 1 : 0,
        Content.of(("payload of m" + i).getBytes(UTF_8)));
  }

  private static void expectAll(JournalStore store) {
    Session session = Session.of(store, "q");
    for (int i = 0; i < MESSAGES; i += 3) {
      Operation.Restore restored = message(i);
      Entry entry =
          Session.await(session.partition().find("m" + i).toCompletableFuture()).orElseThrow();
      assertThat(entry)
          .usingRecursiveComparison()
          .isEqualTo(
              new Entry(
                  restored.id(),
                  restored.isDead() ? State.DEAD : State.READY,
                  restored.content(),
                  restored.dueMillis(),
                  restored.attempts(),
                  restored.history(),
                  0,
                  false,
                  restored.diedAtMillis(),
                  null));
    }
  }

  @Test
  void restore_journalCompactedKilledAndOpened_messagesHaveTheirPast() throws Exception {
    OpenJournal journal = open(disk);
    try (JournalStore store = new JournalStore(journal, "simulated")) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < MESSAGES; i++) {
        session.apply(message(i));
      }
      for (int i = 0; i < MESSAGES; i++) {
        if (i % 3 != 0) {
          session.apply(new Operation.Cancel("m" + i), new Operation.DeleteDead("m" + i));
        }
      }
      Compaction compaction = journal.compaction(bytes -> {});
      assertThat(compaction.run()).isTrue();
      expectAll(store);
      try (JournalStore killed = new JournalStore(open(disk.afterKill()), "simulated")) {
        expectAll(killed);
      }
    }
    try (JournalStore reopened = new JournalStore(open(disk.restarted()), "simulated")) {
      expectAll(reopened);
      Session session = Session.of(reopened, "q");
      assertThat(session.claim(1000).messages())
          .hasSize(MESSAGES / 6)
          .allSatisfy(
              leased ->
                  assertThat(leased.attempt())
                      .isEqualTo(Integer.parseInt(leased.id().substring(1)) + 2));
    }
  }
}
