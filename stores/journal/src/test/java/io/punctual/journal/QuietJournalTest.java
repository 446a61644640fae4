package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.report.SegmentReport;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.journal.upkeep.HintFiles;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A journal without calls writes nothing once its compaction has come to rest, whatever its
 * segments contain.
 */
final class QuietJournalTest {
  private final Random random = new Random(17);
  private final SimulatedDisk disk = new SimulatedDisk(random);

  private OpenJournal open(long segmentBytes, Fsync fsync) throws IOException {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), fsync, segmentBytes, 0, Duration.ZERO);
    return OpenJournal.open(new Folder(disk, () -> {}), options);
  }

  private static Session session(OpenJournal journal, String queue) {
    return Session.of(new JournalStore(journal, "simulated"), queue);
  }

  private static void schedule(Session session, int from, int to) {
    List<Operation> operations = new ArrayList<>();
    for (int i = from; i < to; i++) {
      operations.add(Session.scheduling("m" + i, Session.FAR));
    }
    Session.await(session.send(new Call.Apply(operations, null)));
  }

  /**
   * Compacts and writes hints in rounds, as the {@code Compactor} does, until a round changes no
   * file. Returns the number of rounds with changes.
   */
  private int rest(OpenJournal journal) throws Exception {
    Compaction compaction = journal.compaction(bytes -> {});
    HintFiles hints = journal.hints(bytes -> {});
    int busy = 0;
    boolean worked = true;
    while (worked) {
      Map<String, String> before = files();
      while (compaction.run()) {}
      hints.write();
      worked = !files().equals(before);
      busy += worked ? 1 : 0;
      assertThat(busy).as("rounds that changed files").isLessThan(30);
    }
    return busy;
  }

  /** The length and the hash code of each file, by the file's name. */
  private Map<String, String> files() throws IOException {
    Map<String, String> files = new TreeMap<>();
    for (String name : disk.list()) {
      byte[] bytes = disk.get(name);
      files.put(name, bytes.length + " " + Arrays.hashCode(bytes));
    }
    return files;
  }

  private void expectQuiet(OpenJournal journal) throws Exception {
    int unused = rest(journal);
    Compaction compaction = journal.compaction(bytes -> {});
    HintFiles hints = journal.hints(bytes -> {});
    // The first run finds the segments for which no hint can be written.
    hints.write();
    Map<String, String> before = files();
    int operations = disk.operations();
    for (int round = 0; round < 20; round++) {
      assertThat(compaction.run()).isFalse();
      hints.write();
    }
    assertThat(files()).isEqualTo(before);
    assertThat(disk.operations()).as("writes and forces").isEqualTo(operations);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4096", "1, 67108864", "10, 4096", "10, 67108864",
    "100, 4096", "100, 67108864", "1000, 4096", "1000, 67108864"
  })
  void compaction_oneSmallMessageInEachQueue_comesToRest(int queues, long segmentBytes)
      throws Exception {
    OpenJournal journal = open(segmentBytes, Fsync.ALWAYS);
    for (int queue = 0; queue < queues; queue++) {
      session(journal, "queue-" + queue).schedule("hello", Session.FAR);
    }
    journal.close();
    for (int start = 0; start < 3; start++) {
      journal = open(segmentBytes, Fsync.ALWAYS);
      expectQuiet(journal);
      journal.close();
    }
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(queues);
  }

  /**
   * Compaction must not begin a new segment when it decides which records are needed, or when it
   * deletes segments.
   */
  @ParameterizedTest
  @ValueSource(strings = {"always", "os", "1ms"})
  void compaction_namesOfQueuesFillASegment_comesToRest(String fsync) throws Exception {
    OpenJournal journal = open(4096, Fsync.parse(fsync));
    for (int queue = 0; queue < 300; queue++) {
      Session session = session(journal, "a-queue-with-a-long-name-" + queue);
      session.schedule("m", Session.FAR);
      session.apply(new Operation.Cancel("m"));
    }
    int unused = rest(journal);
    long segments = disk.list().stream().filter(FileNames::isSegment).count();
    expectQuiet(journal);
    assertThat(segments).isLessThanOrEqualTo(2);
    journal.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void compaction_anyMixOfSmallSegments_comesToRest(int seed) throws Exception {
    random.setSeed(seed);
    int queues = new int[] {1, 3, 30, 300}[random.nextInt(4)];
    Map<String, Boolean> model = new TreeMap<>();
    for (int life = 0; life < 25; life++) {
      OpenJournal journal = open(random.nextBoolean() ? 4096 : 1 << 20, Fsync.ALWAYS);
      for (int step = random.nextInt(40); step >= 0; step--) {
        change(journal, "q" + random.nextInt(queues), "m" + random.nextInt(20), model);
      }
      if (random.nextInt(4) == 0) {
        expectQuiet(journal);
      }
      journal.close();
    }
    OpenJournal journal = open(4096, Fsync.ALWAYS);
    expectQuiet(journal);
    journal.close();
    long waiting = model.values().stream().filter(there -> there).count();
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(waiting);
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
  }

  private void change(OpenJournal journal, String queue, String id, Map<String, Boolean> model) {
    Session session = session(journal, queue);
    switch (random.nextInt(4)) {
      case 0 -> {
        session.apply(new Operation.Cancel(id));
        model.put(queue + id, false);
      }
      case 1 -> {
        session.schedule(id, Session.PAST);
        Reply.Claimed claimed = session.claim(1);
        for (Reply.Leased leased : claimed.messages()) {
          session.apply(new Operation.Ack(leased.id(), claimed.token()));
          model.put(queue + leased.id(), false);
        }
      }
      case 2 -> {
        session.schedule(id, Session.FAR);
        session.apply(new Operation.Reschedule(id, Session.FAR));
        model.put(queue + id, true);
      }
      default -> {
        session.schedule(id, Session.FAR);
        model.put(queue + id, true);
      }
    }
  }

  /**
   * A round compacts each segment at most once, even if the first segment could be compacted again
   * immediately.
   */
  @Test
  void compaction_firstSegmentIsAlwaysWorthIt_othersHaveTheirTurn() throws Exception {
    OpenJournal journal = open(8 << 10, Fsync.ALWAYS);
    Session session = session(journal, "q");
    for (int i = 0; i < 2000; i += 100) {
      schedule(session, i, i + 100);
    }
    List<String> before = segments();
    assertThat(before).hasSizeGreaterThan(5);
    Compaction compaction = journal.compaction(bytes -> {});
    // Most messages of all segments are cancelled now. Before each further compaction the test
    // cancels more messages of the first segments.
    for (int i = 0; i < 2000; i++) {
      if (i % 4 != 0) {
        session.apply(new Operation.Cancel("m" + i));
      }
    }
    int round = 0;
    while (compaction.run()) {
      round++;
      for (int i = 0; i < 20; i++) {
        session.apply(new Operation.Cancel("m" + (4 * (20 * round + i))));
      }
      assertThat(round).isLessThan(100);
    }
    assertThat(segments()).doesNotContainAnyElementsOf(before.subList(0, before.size() - 1));
    journal.hints(bytes -> {}).write();
    assertThat(disk.list()).anyMatch(name -> name.endsWith(".hint"));
    journal.close();
  }

  private List<String> segments() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).toList();
  }

  @Test
  void compaction_aSectorCannotBeRead_theOthersGiveTheirRoomBackAndItComesToRest()
      throws Exception {
    OpenJournal journal = open(4096, Fsync.ALWAYS);
    Session session = session(journal, "q");
    for (int i = 0; i < 400; i += 40) {
      schedule(session, i, i + 40);
    }
    String bad = segments().get(2);
    for (int i = 0; i < 400; i++) {
      if (i % 10 != 0) {
        session.apply(new Operation.Cancel("m" + i));
      }
    }
    disk.badPlaces().fail(bad, 1000, 1001);
    List<String> before = segments();
    expectQuiet(journal);
    assertThat(segments()).contains(bad).hasSizeLessThan(before.size());
    journal.close();
  }

  /**
   * The copy of a needed replacement contains the removal, so compaction must not write a separate
   * removal.
   */
  @Test
  void compaction_liveReplacements_removalsAreNotCopiedBesides() throws Exception {
    OpenJournal journal = open(8 << 10, Fsync.ALWAYS);
    Session session = session(journal, "q");
    schedule(session, 0, 100);
    schedule(session, 0, 100);
    for (int i = 0; i < 100; i++) {
      if (i % 5 != 0) {
        session.apply(new Operation.Cancel("m" + i));
      }
    }
    for (int i = 0; i < 3; i++) {
      int unused = rest(journal);
    }
    journal.close();
    long messages = 0;
    long removals = 0;
    for (SegmentReport segment : JournalTool.verify(disk).segments()) {
      messages += segment.messages();
      removals += segment.removals();
    }
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(20);
    assertThat(removals).isLessThanOrEqualTo(messages + 80);
  }

  @Test
  void fileNumbers_allUsed_refusedInsteadOfNegative() throws Exception {
    Manifest manifest = new Manifest(1, 2, Integer.MAX_VALUE - 3, List.of());
    manifest.write(disk);
    OpenJournal journal = open(4096, Fsync.ALWAYS);
    Session session = session(journal, "q");
    List<String> confirmed = new ArrayList<>();
    try {
      for (int i = 0; i < 1000; i++) {
        session.schedule("m" + i, Session.FAR);
        confirmed.add("m" + i);
      }
    } catch (RuntimeException e) {
      assertThat(e).hasStackTraceContaining("file numbers");
    }
    journal.close();
    assertThat(confirmed).hasSizeBetween(1, 999);
    assertThat(JournalTool.stats(disk).waiting()).isGreaterThanOrEqualTo(confirmed.size());
  }
}
