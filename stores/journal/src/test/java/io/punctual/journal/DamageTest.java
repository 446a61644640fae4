package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.HintFile;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.report.Damage;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.VerificationReport;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests a journal with damaged files: its start, claims, cancels and close, and its verification.
 */
final class DamageTest {
  private static final List<String> TRUTH = List.of("m1 1", "m2 2", "m4 1");

  private static final String SET_ASIDE = "set aside";

  private final Random random = new Random(7);

  static Map<String, byte[]> closedJournal() {
    SimulatedDisk disk = new SimulatedDisk(new Random(1));
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    fill(session);
    store.close();
    return files(disk);
  }

  /**
   * Returns the files of {@link #closedJournal} with a {@link HintFile}. A second run writes the
   * hint, because a close writes no hint for the last segment.
   */
  static Map<String, byte[]> hintedJournal() {
    SimulatedDisk disk = new SimulatedDisk(new Random(1));
    closedJournal().forEach(disk::put);
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      assertThat(store).isNotNull();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> disk.list().stream().anyMatch(name -> name.endsWith(".hint")));
    }
    return files(disk);
  }

  /** Returns a manifest with the format version 2 and a right checksum. */
  static byte[] newerManifest(byte[] manifest) {
    String text = new String(manifest, StandardCharsets.ISO_8859_1);
    String newer =
        text.substring(0, text.indexOf("end ")).replace("punctual-journal 1", "punctual-journal 2");
    byte[] bytes = newer.getBytes(StandardCharsets.ISO_8859_1);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    newer += "end %08x\n".formatted(crc.getValue());
    return newer.getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * The payload was damaged after the hint of its segment was written, so a start does not find the
   * damage. A cancel needs only the id, which is intact.
   */
  @Test
  void cancel_payloadIsDamaged_isCarriedOutSinceTheIdIsRight() throws IOException {
    Map<String, byte[]> files = hintedJournal();
    String segment = hint(files).replace(".hint", ".log");
    byte[] bytes = files.get(segment).clone();
    bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("payload of m2")] ^= 1;
    try (JournalStore store = FailedForceHistory.open(diskWith(files, segment, bytes))) {
      Session session = Session.of(store, "q");
      for (String id : List.of("m2", "m1")) {
        assertThat(session.apply(new Operation.Cancel(id)))
            .containsExactly(new Outcome.OfCancel(CancelOutcome.CANCELLED));
      }
    }
  }

  /**
   * At a close the journal writes a state record with the history of each leased message. It can't
   * write this record if the history is damaged.
   */
  @Test
  void close_stateOfALeasedMessageIsDamaged_endsEveryThreadAndKeepsTheAttempts()
      throws IOException {
    Map<String, byte[]> files = hintedJournal();
    SimulatedDisk disk = new SimulatedDisk(random);
    files.forEach(disk::put);
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    assertThat(session.claimIds()).hasSize(TRUTH.size());
    for (String name : files.keySet()) {
      if (FileNames.isSegment(name) && disk.isThere(name)) {
        disk.overwrite(name, new byte[files.get(name).length]);
      }
    }

    store.close();

    assertThat(disk.list()).anyMatch(FileNames::isAttempts);
    assertThatThrownBy(() -> Session.of(store, "q")).isInstanceOf(Partition.NotSentException.class);
  }

  @Test
  void open_damaged_leavesNothingBehind() throws IOException {
    Map<String, byte[]> files = closedJournal();
    byte[] flipped = files.get("segment-00000002.log").clone();
    flipped[300] ^= 1;
    SimulatedDisk disk = diskWith(files, "segment-00000002.log", flipped);
    List<String> before = disk.list();
    for (int time = 0; time < 3; time++) {
      assertThatThrownBy(() -> FailedForceHistory.open(disk))
          .isInstanceOf(JournalDamagedException.class);
    }
    assertThat(disk.list()).isEqualTo(before);
  }

  private static String hint(Map<String, byte[]> files) {
    return files.keySet().stream().filter(name -> name.endsWith(".hint")).findFirst().orElseThrow();
  }

  private static void fill(Session session) {
    session.schedule("m1", Session.PAST);
    session.schedule("m2", Session.PAST);
    session.schedule("m3", Session.PAST);
    Reply.Claimed claimed = session.claim(3);
    session.apply(
        new Operation.Ack("m3", claimed.token()),
        new Operation.Release("m1", claimed.token(), null),
        new Operation.Retry("m2", claimed.token(), Session.PAST, new byte[] {1, 2}));
    session.schedule("m4", Session.PAST);
  }

  static Map<String, byte[]> files(SimulatedDisk disk) {
    Map<String, byte[]> files = new TreeMap<>();
    try {
      disk.list().forEach(name -> files.put(name, disk.get(name)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return files;
  }

  private SimulatedDisk diskWith(Map<String, byte[]> files, String name, byte[] bytes) {
    SimulatedDisk disk = new SimulatedDisk(random);
    files.forEach(disk::put);
    disk.put(name, bytes);
    return disk;
  }

  private static List<String> content(SimulatedDisk disk) {
    JournalStore store = FailedForceHistory.open(disk);
    try {
      List<String> found = new ArrayList<>();
      Session session = Session.of(store, "q");
      Reply.Claimed claimed = session.claim(1000);
      long aside = Session.await(session.partition().counts().toCompletableFuture()).scheduled();
      found.addAll(Collections.nCopies((int) aside, SET_ASIDE));
      claimed.messages().forEach(leased -> found.add(leased.id() + " " + leased.attempt()));
      claimed.unreadable().forEach(one -> found.add(one.id() + " unreadable: " + one.why()));
      found.sort(null);
      return found;
    } finally {
      store.close();
    }
  }

  @Test
  void closed_anyByteFlipped_truthOrStopsWithFileAndReason() {
    Map<String, byte[]> files = closedJournal();
    assertThat(content(diskWith(files, "manifest", files.get("manifest")))).isEqualTo(TRUTH);
    files.forEach(
        (name, bytes) -> {
          for (int at = 0; at < bytes.length; at++) {
            byte[] flipped = bytes.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            expectTruthOrStop(files, name, flipped, at);
          }
        });
  }

  @Test
  @Tag("extended")
  void hinted_anyByteFlippedOrCut_truthOrStopsOrTheMessageIsUnreadable() {
    Map<String, byte[]> files = hintedJournal();
    assertThat(content(diskWith(files, "manifest", files.get("manifest")))).isEqualTo(TRUTH);
    files.forEach(
        (name, bytes) -> {
          for (int at = 0; at < bytes.length; at++) {
            byte[] flipped = bytes.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            expectTruthOrStop(files, name, flipped, at);
            expectTruthOrStop(files, name, Arrays.copyOf(bytes, at), at);
          }
        });
  }

  @Test
  void hinted_hintDamaged_isIgnoredAndWrittenAgain() {
    Map<String, byte[]> files = hintedJournal();
    String hint = hint(files);
    byte[] whole = files.get(hint);
    for (int at = 0; at < whole.length; at += 7) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 2;
      SimulatedDisk disk = diskWith(files, hint, flipped);
      assertThat(content(disk)).isEqualTo(TRUTH);
    }
    SimulatedDisk disk = diskWith(files, hint, new byte[whole.length]);
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      assertThat(store).isNotNull();
      await().atMost(Duration.ofMinutes(1)).until(() -> disk.list().contains(hint));
      assertThat(disk.get(hint)).isEqualTo(whole);
    }
  }

  @Test
  void hinted_hintOfAnotherSegmentWithThatNumber_isIgnored() {
    Map<String, byte[]> files = hintedJournal();
    String hint = hint(files);
    byte[] other = files.get(hint).clone();
    ByteBuffer.wrap(other).putLong(16, 4711);
    CRC32C crc = new CRC32C();
    crc.update(other, 0, HintFile.HEADER - 4);
    ByteBuffer.wrap(other).putInt(HintFile.HEADER - 4, (int) crc.getValue());

    assertThat(content(diskWith(files, hint, other))).isEqualTo(TRUTH);
  }

  @Test
  void verify_closedJournal_countsRecordsAndFindsEachFlippedByte() throws IOException {
    Map<String, byte[]> files = closedJournal();
    String segment = "segment-00000002.log";
    VerificationReport whole = JournalTool.verify(diskWith(files, segment, files.get(segment)));
    assertThat(whole.damage()).isEmpty();
    assertThat(whole.segments()).hasSize(1);
    assertThat(whole.segments().get(0).messages()).isEqualTo(4);
    assertThat(whole.segments().get(0).removals()).isEqualTo(1);
    for (int at = 0; at < files.get(segment).length; at++) {
      byte[] flipped = files.get(segment).clone();
      flipped[at] ^= 1;
      assertThat(JournalTool.verify(diskWith(files, segment, flipped)).damage())
          .as("byte %d", at)
          .extracting(Damage::file)
          .containsExactly(segment);
    }
  }

  @Test
  void closed_cutAtAnyByte_truthOrStopsWithFileAndReason() {
    Map<String, byte[]> files = closedJournal();
    files.forEach(
        (name, bytes) -> {
          for (int at = 0; at < bytes.length; at++) {
            expectTruthOrStop(files, name, Arrays.copyOf(bytes, at), at);
          }
        });
  }

  private void expectTruthOrStop(
      Map<String, byte[]> files, String name, byte[] damaged, int offset) {
    try {
      expectTruthOrUnreadable(content(diskWith(files, name, damaged)), name, offset);
    } catch (JournalDamagedException e) {
      assertThat(e.file()).isEqualTo(name);
      assertThat(e).hasMessageContaining(name).hasMessageContaining("at byte");
    } catch (Partition.PartitionException e) {
      assertThat(e).hasMessageContaining(name).hasMessageContaining("at byte");
    } catch (RuntimeException e) {
      fail("%s, byte %d: %s", name, offset, e);
    }
  }

  /**
   * With a hint, a start does not read the messages. A claim then reports a damaged message as
   * unreadable, or postpones it if its id is damaged.
   */
  private static void expectTruthOrUnreadable(List<String> found, String name, int offset) {
    List<String> damaged =
        found.stream().filter(row -> row.contains("unreadable") || row.equals(SET_ASIDE)).toList();
    assertThat(damaged).hasSizeLessThanOrEqualTo(1);
    assertThat(damaged)
        .allMatch(row -> row.equals(SET_ASIDE) || (row.contains(name) && row.contains("at byte")));
    List<String> readable = new ArrayList<>(found);
    readable.removeAll(damaged);
    assertThat(readable)
        .as("%s, byte %d", name, offset)
        .hasSize(TRUTH.size() - damaged.size())
        .isSubsetOf(TRUTH)
        .noneMatch(row -> damaged.stream().anyMatch(one -> one.startsWith(row.substring(0, 3))));
  }

  /**
   * The expected messages before {@link #fill}, and after each of its calls except the claim. Each
   * of these calls wrote a single frame.
   */
  private static final List<List<String>> STEPS =
      List.of(
          List.of(),
          List.of("m1 1"),
          List.of("m1 1", "m2 1"),
          List.of("m1 1", "m2 1", "m3 1"),
          List.of("m1 1", "m2 2"),
          TRUTH);

  @Test
  void open_tailCutAtAnyByte_keepsWhatWasWrittenBefore() {
    SimulatedDisk disk = new SimulatedDisk(new Random(1));
    JournalStore store = FailedForceHistory.open(disk);
    fill(Session.of(store, "q"));
    Map<String, byte[]> files = files(disk.afterKill());
    store.close();
    files.keySet().removeIf(name -> name.startsWith("attempts"));
    String tail = "segment-00000002.log";
    byte[] bytes = files.get(tail);
    int step = STEPS.size() - 1;
    for (int end = bytes.length; end > SegmentHeader.LENGTH; end--) {
      List<String> found = content(diskWith(files, tail, Arrays.copyOf(bytes, end)));
      while (step > 0 && !STEPS.get(step).equals(found)) {
        step--;
      }
      assertThat(found).as("cut at %d", end).isEqualTo(STEPS.get(step));
    }
    assertThat(step).isZero();
  }

  @Test
  void open_byteFlippedBeforeTheLastFrame_stops() {
    SimulatedDisk disk = new SimulatedDisk(new Random(1));
    JournalStore store = FailedForceHistory.open(disk);
    fill(Session.of(store, "q"));
    Map<String, byte[]> files = files(disk.afterKill());
    store.close();
    String tail = "segment-00000002.log";
    byte[] bytes = files.get(tail);
    byte[] flipped = bytes.clone();
    flipped[bytes.length / 2] ^= 4;
    try {
      List<String> found = content(diskWith(files, tail, flipped));
      fail("Opened with %s", found);
    } catch (JournalDamagedException e) {
      assertThat(e.file()).isEqualTo(tail);
      assertThat(e.offset()).isLessThanOrEqualTo(bytes.length / 2);
    }
  }
}
