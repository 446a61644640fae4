package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.report.Damage;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests which records, tokens and queues a repair keeps. */
final class SalvageTest {
  private static final Duration NO_COMPACTION = Duration.ofDays(1);

  private final SimulatedDisk disk = new SimulatedDisk(new Random(23));

  private JournalStore open() {
    return FailedForceHistory.open(disk, NO_COMPACTION);
  }

  /** Opens a journal whose clock is ahead of the clock of the system. */
  private JournalStore openAhead(Duration ahead) throws IOException {
    InstantSource clock = () -> Instant.now().plus(ahead);
    JournalOptions options = new JournalOptions(clock, Fsync.ALWAYS, 4096, 0, NO_COMPACTION);
    return new JournalStore(OpenJournal.open(new Folder(disk, () -> {}), options), "simulated");
  }

  /** Schedules each message alone, in a run of its own, and so in a new segment. */
  private void run(String... ids) {
    try (JournalStore store = open()) {
      for (String id : ids) {
        Session.of(store, "q").schedule(id, Session.PAST);
      }
    }
  }

  private List<String> segments() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).sorted().toList();
  }

  private SegmentBytes read(String segment) {
    return new SegmentBytes(disk.get(segment));
  }

  private List<String> damagedFiles() throws IOException {
    return JournalTool.verify(disk).damage().stream().map(Damage::file).distinct().toList();
  }

  private void repair() throws IOException {
    assertThat(JournalTool.repair(disk, plan -> true).done()).isTrue();
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
  }

  private List<String> content() {
    try (JournalStore store = open()) {
      List<String> ids = new ArrayList<>(Session.of(store, "q").claimIds());
      ids.sort(null);
      return ids;
    }
  }

  /**
   * A record has an unknown type, though the checksum of its frame is right. The header of the
   * segment is readable, so the segment belongs into the rebuilt manifest.
   */
  @Test
  void repair_manifestLostAndARecordIsMalformed_keepsTheOtherRecordsOfItsSegment()
      throws IOException {
    run("a", "b");
    run("c");
    String segment = segments().get(0);
    SegmentBytes bytes = read(segment);
    int record = SegmentBytes.firstRecord(bytes.frameOf("payload of b"));
    disk.put(segment, bytes.set(record, 99).seal().bytes());
    disk.delete(FileNames.MANIFEST);
    assertThat(damagedFiles()).containsExactly(FileNames.MANIFEST, segment);

    repair();

    assertThat(content()).containsExactly("a", "c");
    assertThat(disk.get(segment + ".damaged")).isEqualTo(bytes.bytes());
  }

  /** A record has the type of limits, but limits that can't be. A repair must not copy it. */
  @Test
  void repair_recordOfImpossibleLimits_isDropped() throws IOException {
    run("a", "b");
    String segment = segments().get(0);
    SegmentBytes bytes = read(segment);
    int record = SegmentBytes.firstRecord(bytes.frameOf("payload of b"));
    disk.put(segment, bytes.set(record, 10).seal().bytes());
    assertThat(damagedFiles()).containsExactly(segment);

    repair();

    assertThat(content()).containsExactly("a");
  }

  /** A record has the type of a message, and is shorter than any message. */
  @Test
  void repair_recordShorterThanItsType_isDropped() throws IOException {
    run("a");
    String segment = segments().get(0);
    SegmentBytes bytes = read(segment);
    int footer = SegmentBytes.firstRecord(bytes.bytes().length - 9 - 28);
    disk.put(segment, bytes.set(footer, 1).seal().bytes());
    assertThat(damagedFiles()).containsExactly(segment);

    repair();

    assertThat(content()).containsExactly("a");
  }

  /**
   * The manifest is lost, and the end of a segment that is not the last. The segment was ended
   * before the next segment began, so the missing bytes are damage, and not the end of a process.
   */
  @Test
  void repair_manifestLostAndASegmentInTheMiddleIsCut_keepsItsRecordsAndACopy() throws IOException {
    try (JournalStore store = open()) {
      Session.of(store, "q")
          .apply(
              Session.scheduling("a", Session.PAST),
              Session.scheduling("b", Session.PAST),
              Session.scheduling("c", Session.PAST));
    }
    run("d");
    String segment = segments().get(0);
    SegmentBytes bytes = read(segment);
    byte[] cut = Arrays.copyOf(bytes.bytes(), bytes.indexOf("payload of c"));
    disk.put(segment, cut);
    disk.delete(FileNames.MANIFEST);
    assertThat(damagedFiles()).containsExactly(FileNames.MANIFEST, segment);

    repair();

    assertThat(content()).containsExactly("a", "b", "d");
    assertThat(disk.get(segment + ".damaged")).isEqualTo(cut);
  }

  @Test
  void repair_payloadsFlippedInTwoAdjacentFrames_losesThoseMessagesOnly() throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.apply(Session.scheduling("a", Session.PAST), Session.scheduling("b", Session.PAST));
      session.apply(Session.scheduling("c", Session.PAST), Session.scheduling("d", Session.PAST));
    }
    String segment = segments().get(0);
    SegmentBytes bytes = read(segment);
    bytes.flip(bytes.indexOf("payload of b"));
    bytes.flip(bytes.indexOf("payload of d"));
    disk.put(segment, bytes.bytes());

    repair();

    assertThat(content()).containsExactly("a", "c");
  }

  private static long claim(JournalStore store) {
    Reply.Claimed claimed = Session.of(store, "q").claim(1);
    assertThat(claimed.messages()).hasSize(1);
    return claimed.token();
  }

  private void flipMarks(String segment) {
    SegmentBytes bytes = read(segment);
    disk.put(segment, bytes.flip(SegmentBytes.firstRecord(48) + 20).bytes());
  }

  private void expectGreaterToken(long earlier) {
    run("later");
    try (JournalStore store = open()) {
      assertThat(claim(store)).isGreaterThan(earlier);
    }
  }

  /** The message was settled, so that only the marks, which are damaged, know the token. */
  @Test
  void repair_marksAreLost_givesOutNoEarlierTokenAgain() throws IOException {
    long token;
    try (JournalStore store = openAhead(Duration.ofHours(1))) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      token = session.claim(1).token();
      session.apply(new Operation.Ack("a", token));
    }
    flipMarks(segments().get(0));

    repair();

    expectGreaterToken(token);
  }

  /** The state of the message is in a frame after the bad frame, and knows the token. */
  @Test
  void repair_stateAfterTheBadFrameHasAToken_givesOutNoEarlierTokenAgain() throws IOException {
    long token;
    try (JournalStore store = openAhead(Duration.ofDays(2))) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      token = session.claim(1).token();
      session.apply(new Operation.Retry("a", token, Session.PAST, new byte[0]));
    }
    flipMarks(segments().get(0));

    repair();

    expectGreaterToken(token);
  }

  /** The process was killed during a lease, so that only the file of attempts knows the token. */
  @Test
  void repair_tokenIsInTheAttemptsOnly_isNotGivenOutAgain() throws IOException {
    long token;
    SimulatedDisk killed;
    try (JournalStore store = openAhead(Duration.ofDays(2))) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      token = session.claim(1).token();
      killed = disk.afterKill();
    }
    DamageTest.files(disk).keySet().forEach(this::delete);
    DamageTest.files(killed).forEach(disk::put);
    flipMarks(segments().get(0));

    repair();

    expectGreaterToken(token);
  }

  private void delete(String name) {
    try {
      disk.delete(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The segment with the latest marks is kept aside, because nothing in it can be read. */
  @Test
  void repair_manifestLostAndTheLastHeaderIsDamaged_givesOutNoEarlierTokenAgain()
      throws IOException {
    run("a", "b");
    long token;
    try (JournalStore store = openAhead(Duration.ofHours(1))) {
      token = claim(store);
    }
    String last = segments().get(1);
    disk.put(last, read(last).flip(20).bytes());
    disk.delete(FileNames.MANIFEST);

    repair();

    expectGreaterToken(token);
  }

  /**
   * A new segment names the known queues again, also a deleted queue that older segments may name.
   * This name is damaged here; the record of the deletion, in the segment before, is not.
   */
  @Test
  void repair_nameOfADeletedQueueIsDamaged_doesNotBringTheQueueBack() throws IOException {
    try (JournalStore store = open()) {
      Session.of(store, "q").schedule("kept", Session.PAST);
      Session.of(store, "gone").schedule("a", Session.PAST);
      Session.of(store, "gone").apply(new Operation.Cancel("a"));
      Session.await(store.delete("gone").toCompletableFuture());
    }
    run("b");
    String last = segments().get(1);
    SegmentBytes bytes = read(last);
    disk.put(last, bytes.flip(bytes.indexOf("gone")).bytes());

    repair();

    try (JournalStore store = open()) {
      assertThat(Session.await(store.queues().toCompletableFuture())).containsExactly("q");
    }
  }
}
