package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.journal.disk.FileNames;
import io.punctual.spi.Entry;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The current version must read all records of the journals that earlier versions wrote. */
final class GoldenJournalTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));

  private static Entry find(Session session, String id) {
    return Session.await(session.partition().find(id).toCompletableFuture()).orElseThrow();
  }

  private static PartitionCounts counts(Session session) {
    return Session.await(session.partition().counts().toCompletableFuture());
  }

  @Test
  void open_version1_everyKindOfRecordIsRead() throws IOException {
    GoldenJournal.read(GoldenJournal.VERSION_1).forEach(disk::put);
    assertThat(disk.list())
        .anyMatch(FileNames::isAttempts)
        .anyMatch(name -> name.endsWith(".hint"))
        .contains(FileNames.MANIFEST);
    try (JournalStore store = FailedForceHistory.open(disk)) {
      assertThat(Session.await(store.queues().toCompletableFuture()))
          .containsExactly("jobs", "orders", "päused");
      expectOrders(Session.of(store, "orders"));
      expectJobs(Session.of(store, "jobs"));
      assertThat(counts(Session.of(store, "päused")))
          .usingRecursiveComparison()
          .ignoringFields("overdueMillis")
          .isEqualTo(new PartitionCounts(0, 1, 0, 0, 0, true));
    }
  }

  private static void expectOrders(Session orders) {
    assertThat(counts(orders)).isEqualTo(new PartitionCounts(3, 0, 0, 1, 0, false));
    Entry retried = find(orders, "retried");
    assertThat(retried.attempts()).isEqualTo(1);
    assertThat(retried.dueMillis()).isEqualTo(4_300_000_000_000L);
    assertThat(retried.history()).asString().isEqualTo("history of retried");
    assertThat(retried.content().payload()).asString().isEqualTo("payload of retried");
    Entry dead = find(orders, "dead");
    assertThat(dead.state()).isEqualTo(State.DEAD);
    assertThat(dead.dueMillis()).isZero();
    assertThat(dead.diedAtMillis()).isPositive();
    assertThat(dead.history()).asString().isEqualTo("history of dead");
    assertThat(find(orders, "replaced").dueMillis()).isEqualTo(4_100_000_000_000L);
    Entry headers = find(orders, "headers");
    assertThat(headers.content().payload()).containsExactly(0, -1);
    assertThat(headers.content().headers()).containsEntry("tenant", "ä");
    assertThat(headers.content().notAfterMillis()).isEqualTo(4_200_000_000_000L);
  }

  /**
   * Expects a single message, which was leased when the process that wrote the journal ended. The
   * new attempt is the second.
   */
  private static void expectJobs(Session jobs) {
    Reply.Claimed claimed = jobs.claim(10);
    assertThat(claimed.messages()).hasSize(1);
    Reply.Leased leased = claimed.messages().get(0);
    assertThat(leased.id()).isEqualTo("leased");
    assertThat(leased.attempt()).isEqualTo(2);
    assertThat(leased.content().payload()).isEqualTo("payload of leased".getBytes(UTF_8));
  }

  @Test
  void verify_version1_findsNoDamage() throws IOException {
    GoldenJournal.read(GoldenJournal.VERSION_1).forEach(disk::put);
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
  }
}
