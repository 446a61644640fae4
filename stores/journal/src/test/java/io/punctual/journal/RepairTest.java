package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.DeleteQueueOutcome;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.RepairReport;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests repairs of damaged journals, which then open with their intact records. */
final class RepairTest {
  /** The distance of the damaged bytes; 1 with the property {@code punctual.thorough}. */
  private static final int STEP = Boolean.getBoolean("punctual.thorough") ? 1 : 5;

  private static final Charset LATIN = StandardCharsets.ISO_8859_1;
  private static final String SEGMENT = "segment-00000002.log";

  private final Random random = new Random(17);
  private final Map<String, byte[]> files = DamageTest.closedJournal();

  private SimulatedDisk disk(Map<String, byte[]> content) {
    SimulatedDisk disk = new SimulatedDisk(random);
    content.forEach(disk::put);
    return disk;
  }

  private SimulatedDisk damaged(String name, byte[] bytes) {
    Map<String, byte[]> changed = new TreeMap<>(files);
    changed.put(name, bytes);
    return disk(changed);
  }

  private static byte[] flipped(byte[] bytes, int at) {
    byte[] flipped = bytes.clone();
    flipped[at] ^= 0x10;
    return flipped;
  }

  private static Map<String, String> texts(SimulatedDisk disk) {
    Map<String, String> texts = new TreeMap<>();
    DamageTest.files(disk).forEach((name, bytes) -> texts.put(name, new String(bytes, LATIN)));
    return texts;
  }

  private static RepairReport repair(Disk disk) throws IOException {
    return JournalTool.repair(disk, plan -> true);
  }

  /** Opens the journal, and returns the ids of all messages. Checks the payload of each message. */
  private static List<String> content(SimulatedDisk disk) {
    JournalStore store = FailedForceHistory.open(disk);
    try {
      List<String> ids = new ArrayList<>();
      for (String queue : Session.await(store.queues().toCompletableFuture())) {
        for (Reply.Leased leased : Session.of(store, queue).claim(1000).messages()) {
          assertThat(new String(leased.content().payload(), UTF_8))
              .isEqualTo("payload of " + leased.id());
          ids.add(leased.id());
        }
      }
      ids.sort(null);
      return ids;
    } finally {
      store.close();
    }
  }

  @Test
  void repair_nothingDamaged_asksNobodyAndChangesNothing() throws IOException {
    SimulatedDisk disk = disk(files);

    RepairReport repair =
        JournalTool.repair(
            disk,
            plan -> {
              throw new AssertionError("asked about " + plan);
            });

    assertThat(repair.damage()).isEmpty();
    assertThat(repair.done()).isFalse();
    assertThat(texts(disk)).isEqualTo(texts(disk(files)));
  }

  @Test
  void repair_manifestOfANewerVersion_isRefusedAndChangesNothing() {
    byte[] newer = DamageTest.newerManifest(files.get("manifest"));
    expectRefusedAsNewer(damaged("manifest", newer), "manifest");
  }

  @Test
  void repair_segmentOfANewerVersion_isRefusedAndChangesNothing() {
    byte[] newer = files.get(SEGMENT).clone();
    ByteBuffer header = ByteBuffer.wrap(newer);
    header.putInt(8, 2);
    CRC32C crc = new CRC32C();
    crc.update(newer, 0, SegmentHeader.LENGTH - 4);
    header.putInt(SegmentHeader.LENGTH - 4, (int) crc.getValue());
    expectRefusedAsNewer(damaged(SEGMENT, newer), SEGMENT);
    Map<String, byte[]> withoutManifest = new TreeMap<>(files);
    withoutManifest.put(SEGMENT, newer);
    withoutManifest.remove("manifest");
    assertThatThrownBy(() -> repair(disk(withoutManifest))).hasMessageContaining("version 2");
  }

  /**
   * Expects that open, repair and verify refuse a file of a newer version. A repair would lose the
   * records that it can't read.
   */
  private static void expectRefusedAsNewer(SimulatedDisk disk, String file) {
    Map<String, String> before = texts(disk);
    for (ThrowingCallable attempt :
        List.<ThrowingCallable>of(
            () -> FailedForceHistory.open(disk),
            () -> repair(disk),
            () -> JournalTool.verify(disk))) {
      assertThatThrownBy(attempt)
          .isNotInstanceOf(JournalDamagedException.class)
          .hasMessageContaining(file)
          .hasMessageContaining("version 2")
          .message()
          .doesNotContain("repair");
      assertThat(texts(disk)).isEqualTo(before);
    }
  }

  /**
   * A process died during its start while it copied the last segment, and then the manifest was
   * lost.
   */
  @Test
  void repair_manifestGoneAndCopyOfTheTailUnfinished_takesTheWholeTail() throws IOException {
    SimulatedDisk written = new SimulatedDisk(random);
    Map<String, byte[]> found;
    try (JournalStore store = FailedForceHistory.open(written)) {
      for (int i = 0; i < 9; i++) {
        Session.of(store, "q").schedule("m" + i, Session.PAST);
      }
      found = DamageTest.files(written.afterKill());
    }
    SegmentHeader header = SegmentHeader.decode(ByteBuffer.wrap(found.get(SEGMENT)), SEGMENT);
    byte[] copy = Arrays.copyOf(found.get(SEGMENT), 600);
    ByteBuffer unfinished = header.successor(9, header.last(), 0, header.salt()).encode();
    unfinished.get(copy, 0, SegmentHeader.LENGTH);
    found.put("segment-00000009.log", copy);
    found.remove("manifest");
    SimulatedDisk disk = disk(found);

    assertThat(repair(disk).done()).isTrue();

    assertThat(content(disk)).hasSize(9);
  }

  @Test
  void repair_notWanted_changesNothing() throws IOException {
    byte[] bad = flipped(files.get(SEGMENT), 200);
    SimulatedDisk disk = damaged(SEGMENT, bad);
    Map<String, String> before = texts(disk);

    assertThat(JournalTool.repair(disk, plan -> false).done()).isFalse();

    assertThat(texts(disk)).isEqualTo(before);
  }

  @Test
  void repair_anyByteOfASegmentFlipped_opensWithAllButOneFrame() throws IOException {
    byte[] whole = files.get(SEGMENT);
    for (int at = 0; at < whole.length; at += STEP) {
      byte[] bad = flipped(whole, at);
      SimulatedDisk disk = damaged(SEGMENT, bad);

      RepairReport repair = repair(disk);

      assertThat(repair.done()).as("byte %d", at).isTrue();
      assertThat(repair.segments()).hasSize(1);
      assertThat(repair.segments().get(0).messages()).isBetween(3L, 4L);
      assertThat(disk.get(SEGMENT + ".damaged")).isEqualTo(bad);
      assertThat(JournalTool.verify(disk).damage()).isEmpty();
      List<String> found = content(disk);
      assertThat(found).as("byte %d", at).isSubsetOf("m1", "m2", "m3", "m4");
      assertThat(found).hasSizeGreaterThanOrEqualTo(2);
      assertThat(disk.list()).contains(SEGMENT + ".damaged");
    }
  }

  @Test
  void repair_payloadFlippedInAFrameOfMany_losesThatMessageOnly() throws IOException {
    SimulatedDisk fresh = new SimulatedDisk(random);
    JournalStore store = FailedForceHistory.open(fresh);
    Session.of(store, "q")
        .apply(
            Session.scheduling("a", Session.PAST),
            Session.scheduling("b", Session.PAST),
            Session.scheduling("c", Session.PAST));
    store.close();
    byte[] bytes = fresh.get(SEGMENT);
    int at = new String(bytes, LATIN).indexOf("payload of b");
    fresh.put(SEGMENT, flipped(bytes, at));

    assertThat(repair(fresh).segments().get(0).messages()).isEqualTo(2);

    assertThat(content(fresh)).containsExactly("a", "c");
  }

  /**
   * The repair restores a message whose removal was lost. The queue of the message must then exist
   * again, because the message could not be found in a deleted queue.
   */
  @Test
  void repair_removalLostBeforeTheDeletionOfItsQueue_bringsTheQueueBack() throws IOException {
    SimulatedDisk fresh = new SimulatedDisk(random);
    JournalStore store = FailedForceHistory.open(fresh);
    Session.of(store, "gone").schedule("a", Session.PAST);
    int removal = fresh.get(SEGMENT).length;
    Session.of(store, "gone").apply(new Operation.Cancel("a"));
    assertThat(delete(store, "gone")).isEqualTo(DeleteQueueOutcome.DELETED);
    store.close();
    fresh.put(SEGMENT, flipped(fresh.get(SEGMENT), removal + FrameFormat.HEADER + 2));

    assertThat(repair(fresh).done()).isTrue();

    for (int start = 0; start < 3; start++) {
      assertThat(content(fresh)).as("start %d", start).containsExactly("a");
    }
    store = FailedForceHistory.open(fresh);
    assertThat(delete(store, "gone")).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
    Session.of(store, "gone").apply(new Operation.Cancel("a"));
    assertThat(delete(store, "gone")).isEqualTo(DeleteQueueOutcome.DELETED);
    store.close();
    assertThat(content(fresh)).isEmpty();
  }

  private static DeleteQueueOutcome delete(JournalStore store, String queue) {
    return Session.await(store.delete(queue).toCompletableFuture());
  }

  @Test
  void repair_cutAnywhere_opensWithWhatIsLeft() throws IOException {
    byte[] whole = files.get(SEGMENT);
    for (int length = 0; length < whole.length; length++) {
      SimulatedDisk disk = damaged(SEGMENT, Arrays.copyOf(whole, length));

      assertThat(repair(disk).done()).isTrue();

      assertThat(content(disk)).isSubsetOf("m1", "m2", "m3", "m4");
    }
  }

  @Test
  void repair_manifestDamagedAnywhereOrGone_opensWithTheTruth() throws IOException {
    byte[] manifest = files.get("manifest");
    for (int at = 0; at < manifest.length; at++) {
      SimulatedDisk disk = damaged("manifest", flipped(manifest, at));
      assertThat(repair(disk).done()).isTrue();
      assertThat(disk.list()).contains("manifest.damaged");
      assertThat(content(disk)).as("byte %d", at).containsExactly("m1", "m2", "m4");
    }
    Map<String, byte[]> without = new TreeMap<>(files);
    without.remove("manifest");
    SimulatedDisk disk = disk(without);
    assertThat(repair(disk).done()).isTrue();
    assertThat(content(disk)).containsExactly("m1", "m2", "m4");
  }

  @Test
  void repair_segmentGone_opensEmpty() throws IOException {
    Map<String, byte[]> without = new TreeMap<>(files);
    without.remove(SEGMENT);
    SimulatedDisk disk = disk(without);

    RepairReport repair = repair(disk);

    assertThat(repair.segments().get(0).lostBytes()).isEqualTo(files.get(SEGMENT).length);
    assertThat(content(disk)).isEmpty();
  }

  @Test
  void repair_nothingLeft_saysSo() {
    SimulatedDisk disk = new SimulatedDisk(random);
    disk.put("manifest", new byte[10]);
    disk.put(SEGMENT, new byte[10]);

    assertThatThrownBy(() -> repair(disk)).isInstanceOf(JournalDamagedException.class);
  }

  @Test
  void repair_powerLostAnywhere_canBeDoneAgain() throws IOException {
    byte[] bad = flipped(files.get(SEGMENT), files.get(SEGMENT).length / 2);
    SimulatedDisk whole = damaged(SEGMENT, bad);
    repair(whole);
    List<String> expected = content(whole);
    boolean complete = false;
    for (int operations = 0; !complete; operations++) {
      SimulatedDisk disk = damaged(SEGMENT, bad);
      disk.losePowerAfter(operations);
      try {
        complete = repair(disk).done();
      } catch (IOException e) {
        assertThat(disk.hasLostPower()).isTrue();
      }
      SimulatedDisk found = disk.afterPowerLoss();
      repair(found);
      assertThat(content(found)).as("after %d operations", operations).isEqualTo(expected);
      assertThat(found.list()).anyMatch(name -> name.startsWith(SEGMENT + ".damaged"));
    }
  }

  @Test
  void open_damaged_saysWhatRepairWouldKeep() {
    SimulatedDisk disk = damaged(SEGMENT, flipped(files.get(SEGMENT), 200));

    assertThatThrownBy(() -> FailedForceHistory.open(disk))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining(SEGMENT)
        .hasMessageContaining("punctual journal repair")
        .hasMessageContaining("messages");
  }
}
