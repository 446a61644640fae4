package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.report.Damage;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests segments that the manifest does not name. A segment that may have confirmed records must be
 * kept.
 */
final class UnnamedSegmentTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(5));

  /**
   * Opens and closes the journal once for each number from {@code from} to {@code to}. Each time
   * schedules the two messages m and n with that number, in a new segment.
   */
  private void fill(int from, int to) {
    for (int i = from; i <= to; i++) {
      try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
        Session session = Session.of(store, "q");
        session.schedule("m" + i, Session.PAST);
        session.schedule("n" + i, Session.PAST);
      }
    }
  }

  private List<String> segments() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).sorted().toList();
  }

  private List<String> content() {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      List<String> ids = new ArrayList<>(Session.of(store, "q").claimIds());
      ids.sort(null);
      return ids;
    }
  }

  /** The manifest was restored from a backup that is older than the segments. */
  @Test
  void open_manifestIsOlderThanASegment_isRefusedAndRepairTakesTheSegmentIn() throws IOException {
    fill(1, 1);
    byte[] older = disk.get(FileNames.MANIFEST);
    fill(2, 2);
    disk.put(FileNames.MANIFEST, older);
    Map<String, byte[]> before = DamageTest.files(disk);
    String unnamed = segments().get(1);

    assertThatThrownBy(() -> FailedForceHistory.open(disk, Duration.ofDays(1)))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining("manifest")
        .hasMessageContaining("old copy")
        .hasMessageContaining(unnamed);
    assertThat(disk.list()).containsExactlyInAnyOrderElementsOf(before.keySet());
    assertThat(JournalTool.verify(disk).damage()).hasSize(1);

    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();
    assertThat(content()).containsExactly("m1", "m2", "n1", "n2");
  }

  @Test
  void open_manifestIsOlderAndItsLastSegmentWasOpen_isRefused() throws IOException {
    fill(1, 1);
    byte[] older;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session.of(store, "q").schedule("m2", Session.PAST);
      older = disk.get(FileNames.MANIFEST);
    }
    fill(3, 3);
    disk.put(FileNames.MANIFEST, older);

    assertThatThrownBy(() -> FailedForceHistory.open(disk, Duration.ofDays(1)))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining("old copy");

    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();
    assertThat(content()).containsExactly("m1", "m2", "m3", "n1", "n3");
  }

  /** The copy of the manifest was made after the next segment's file was prepared. */
  @Test
  void open_manifestIsOlderThanThePreparedSegment_isRefused() throws IOException {
    fill(1, 1);
    byte[] older;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session.of(store, "q").schedule("m2", Session.PAST);
      older = disk.get(FileNames.MANIFEST);
    }
    fill(3, 3);
    int nextFile = Manifest.read(disk).nextFile();
    disk.put(FileNames.MANIFEST, older);
    Manifest read = Manifest.read(disk);
    read.with(nextFile, read.segments()).write(disk);

    assertThatThrownBy(() -> FailedForceHistory.open(disk, Duration.ofDays(1)))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining("old copy");

    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();
    assertThat(content()).containsExactly("m1", "m2", "m3", "n1", "n3");
  }

  @Test
  void repair_manifestIsLostAndAHeaderIsDamaged_saysSoAndKeepsTheSegmentAside() throws IOException {
    fill(1, 2);
    String damaged = segments().get(0);
    byte[] bytes = disk.get(damaged);
    bytes[20] ^= 1;
    disk.put(damaged, bytes);
    disk.delete(FileNames.MANIFEST);

    assertThat(JournalTool.verify(disk).damage())
        .extracting(Damage::file)
        .containsExactly(FileNames.MANIFEST, damaged);
    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();
    assertThat(disk.get(damaged + ".damaged")).isEqualTo(bytes);

    assertThat(content()).containsExactly("m2", "n2");
    assertThat(disk.get(damaged + ".damaged")).isEqualTo(bytes);
  }

  /**
   * Repairs of earlier versions left a damaged file under its own name. The next start must keep
   * this file.
   */
  @Test
  void open_headerOfAnUnnamedSegmentIsDamaged_keepsTheFileAside() throws IOException {
    fill(1, 1);
    byte[] bytes = new byte[500];
    new Random(1).nextBytes(bytes);
    disk.put("segment-00000077.log", bytes);
    disk.put("segment-00000060.log", new byte[500]);
    disk.put("segment-00000061.log", new byte[0]);

    assertThat(content()).containsExactly("m1", "n1");

    assertThat(disk.get("segment-00000077.log.damaged")).isEqualTo(bytes);
    assertThat(disk.list()).doesNotContain("segment-00000060.log", "segment-00000061.log");
  }

  /**
   * A process died after it created a segment, and before the manifest named the segment. The
   * segment has no confirmed records, so a start may delete it.
   */
  @Test
  void open_newSegmentWasNotNamedYet_isDeleted() throws IOException {
    fill(1, 1);
    byte[] manifest = disk.get(FileNames.MANIFEST);
    fill(2, 2);
    String unnamed = segments().get(1);
    byte[] bytes = disk.get(unnamed);
    int frame = FrameFormat.HEADER + ByteBuffer.wrap(bytes).getInt(SegmentHeader.LENGTH + 4);
    byte[] cut = Arrays.copyOf(bytes, SegmentHeader.LENGTH + frame);
    disk.put(unnamed, cut);
    disk.put(FileNames.MANIFEST, manifest);

    assertThat(content()).containsExactly("m1", "n1");

    if (disk.isThere(unnamed)) {
      assertThat(disk.get(unnamed)).isNotEqualTo(cut);
    }
  }

  /**
   * A process died after it had created the next segment, and before it ended the last one. Neither
   * a start nor a repair of a lost manifest may take the last segment for damaged.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void open_nextSegmentHasNoFrameYet_isDeletedAndTheLastSegmentStaysOpen(boolean isManifestLost)
      throws IOException {
    SimulatedDisk killed;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session.of(store, "q").schedule("m1", Session.PAST);
      killed = disk.afterKill();
    }
    int file = FileNames.highest(killed.list()) + 1;
    long seed =
        SegmentHeader.decode(ByteBuffer.wrap(killed.get("segment-00000002.log")), "").hashSeed();
    SegmentHeader next = new SegmentHeader(file, file, file, 0, 7, seed);
    killed.put(FileNames.segment(file), next.encode().array());
    if (isManifestLost) {
      killed.delete(FileNames.MANIFEST);
      assertThat(JournalTool.verify(killed).damage())
          .extracting(Damage::file)
          .containsExactly(FileNames.MANIFEST);
      assertThat(JournalTool.repair(killed, plan -> true).segments()).isEmpty();
    } else {
      assertThat(JournalTool.verify(killed).damage()).isEmpty();
    }
    try (JournalStore store = FailedForceHistory.open(killed, Duration.ofDays(1))) {
      assertThat(Session.of(store, "q").claimIds()).containsExactly("m1");
    }
    assertThat(killed.list()).doesNotContain(FileNames.segment(file));
  }
}
