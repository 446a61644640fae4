package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.FileNames;
import io.punctual.journal.report.Damage;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.RepairReport;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests files with sectors that the disk can't read. A repair keeps the records in readable frames.
 */
final class UnreadableSectorTest {
  private static final int MESSAGES = 40;
  private static final int SECTOR = 512;
  private static final String SEGMENT = "segment-00000002.log";

  private final SimulatedDisk disk = new SimulatedDisk(new Random(3));

  private void fill() {
    JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1));
    Session session = Session.of(store, "q");
    IntStream.range(0, MESSAGES).forEach(i -> session.schedule("m" + i, Session.PAST));
    store.close();
    assertThat(disk.get(SEGMENT).length).isGreaterThan(4 * SECTOR);
  }

  private List<String> ids() {
    try (JournalStore store = FailedForceHistory.open(disk)) {
      return Session.of(store, "q").claimIds();
    }
  }

  @Test
  void open_sectorOfASegmentCannotBeRead_saysThatARepairKeepsTheRest() {
    fill();
    disk.badPlaces().fail(SEGMENT, 1024, 1024 + SECTOR);

    assertThatThrownBy(() -> FailedForceHistory.open(disk))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining(SEGMENT)
        .hasMessageContaining("Input/output error")
        .hasMessageContaining("punctual journal repair");
  }

  @Test
  void repair_sectorOfASegmentCannotBeRead_keepsTheMessagesInTheOthers() throws IOException {
    fill();
    byte[] whole = disk.get(SEGMENT);
    disk.badPlaces().fail(SEGMENT, 1024, 1024 + SECTOR);

    assertThat(JournalTool.verify(disk).damage())
        .contains(new Damage(SEGMENT, 1024, "the sector can't be read: Input/output error"));
    RepairReport repair = JournalTool.repair(disk, plan -> true);

    assertThat(repair.done()).isTrue();
    assertThat(repair.segments().get(0).lostBytes()).isBetween(512L, 1024L);
    Arrays.fill(whole, 1024, 1024 + SECTOR, (byte) 0);
    assertThat(disk.get(SEGMENT + ".damaged")).isEqualTo(whole);
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
    assertThat(ids()).hasSizeBetween(MESSAGES - 10, MESSAGES - 1).contains("m0", "m39");
  }

  @Test
  void repair_segmentEndsBeforeItsLength_keepsTheMessagesBefore() throws IOException {
    fill();
    disk.badPlaces().cut(SEGMENT, 2 * SECTOR);

    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();

    assertThat(ids()).contains("m0").hasSizeLessThan(MESSAGES);
  }

  @Test
  void repair_headerOfASegmentCannotBeRead_keepsTheMessagesBehindInANewQueue() throws IOException {
    fill();
    disk.badPlaces().fail(SEGMENT, 0, SECTOR);

    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();

    try (JournalStore store = FailedForceHistory.open(disk)) {
      assertThat(Session.of(store, "recovered-1").claimIds())
          .contains("m39")
          .hasSizeBetween(MESSAGES - 10, MESSAGES - 1);
    }
  }

  @Test
  void repair_manifestCannotBeRead_putsOneTogether() throws IOException {
    fill();
    disk.badPlaces().fail("manifest", 7, 8);

    assertThatThrownBy(() -> FailedForceHistory.open(disk))
        .isInstanceOf(JournalDamagedException.class);
    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();
    disk.badPlaces().mend();

    assertThat(ids()).hasSize(MESSAGES);
  }

  /**
   * A start copies the last segment. An incomplete read must not lead to a shorter copy that counts
   * as complete.
   */
  @Test
  void open_tailOfAKilledProcessCannotBeReadToItsEnd_doesNotConfirmAShortCopy() throws IOException {
    JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1));
    Session session = Session.of(store, "q");
    IntStream.range(0, 5).forEach(i -> session.schedule("m" + i, Session.PAST));
    SimulatedDisk killed = disk.afterKill();
    store.close();
    killed.badPlaces().cut(SEGMENT, 300);
    List<String> before = killed.list();

    assertThatThrownBy(() -> FailedForceHistory.open(killed))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining(SEGMENT);

    assertThat(killed.list()).isEqualTo(before);
  }

  @Test
  void open_hintCannotBeRead_readsTheSegment() throws IOException {
    fill();
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      assertThat(store).isNotNull();
      await().atMost(Duration.ofMinutes(1)).until(() -> hints().contains("segment-00000002.hint"));
    }
    for (String hint : hints()) {
      disk.badPlaces().fail(hint, 60, 61);
    }

    assertThat(ids()).hasSize(MESSAGES);
  }

  private List<String> hints() throws IOException {
    return disk.list().stream().filter(name -> name.endsWith(".hint")).toList();
  }

  @Test
  void open_attemptsOfAKilledProcessCannotBeRead_opensWithoutThem() throws IOException {
    SimulatedDisk killed;
    try (JournalStore store = FailedForceHistory.open(disk)) {
      Session session = Session.of(store, "q");
      session.schedule("m", Session.PAST);
      assertThat(session.claimIds()).hasSize(1);
      killed = disk.afterKill();
    }
    for (String name : killed.list()) {
      if (FileNames.isAttempts(name)) {
        killed.badPlaces().fail(name, 0, 1);
      }
    }

    try (JournalStore store = FailedForceHistory.open(killed)) {
      Reply.Claimed claimed = Session.of(store, "q").claim(10);
      assertThat(claimed.messages()).extracting(Reply.Leased::attempt).containsExactly(1);
    }
  }
}
