package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.embedded.Cursor;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.partition.PartitionView;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.upkeep.Snapshot;
import io.punctual.kit.process.JavaProcess;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests readers of a journal, with and without an owner that has it open. */
final class JournalReaderTest {
  private static final EntryQuery SCHEDULED =
      new EntryQuery(State.SCHEDULED, TimeRange.ALL, false, false);

  @TempDir Path folder;

  private Punctual owner() {
    return Punctual.builder()
        .store(JournalStore.builder(folder.resolve("journal")).segmentBytes(16 << 10).open())
        .build();
  }

  private Punctual reader() {
    return Punctual.open("journal:" + folder.resolve("journal") + "?access=read");
  }

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("q", Codec.string());
  }

  private static List<String> ids(TimedQueue<String> queue, State state) {
    return queue.stream(MessageQuery.of(state)).map(StoredMessage::id).toList();
  }

  @Test
  void lookUps_journalIsOpen_showEachState() {
    try (Punctual owner = owner()) {
      TimedQueue<String> queue = queue(owner);
      queue.schedule(Message.of("later").id("later").dueIn(Duration.ofHours(1)));
      for (String id : List.of("dead", "leased", "released", "done")) {
        queue.schedule(Message.of("of " + id).id(id));
      }
      Map<String, Delivery<String>> claimed = new TreeMap<>();
      while (claimed.size() < 4) {
        queue
            .claim(
                4, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)).maxWait(Duration.ofSeconds(5)))
            .forEach(delivery -> claimed.put(delivery.id(), delivery));
      }
      claimed.get("dead").bury("of no use");
      claimed.get("released").release();
      claimed.get("done").ack();
      owner.queue("paused", Codec.string()).pause();

      try (Punctual reader = reader()) {
        TimedQueue<String> seen = queue(reader);
        assertThat(reader.queues()).containsExactly("paused", "q");
        assertThat(seen.counts())
            .extracting(
                Counts::scheduled,
                Counts::ready,
                Counts::leased,
                Counts::dead,
                Counts::finished,
                Counts::paused)
            .containsExactly(1L, 1L, 1L, 1L, 0L, false);
        assertThat(reader.queue("paused", Codec.string()).counts().paused()).isTrue();
        assertThat(ids(seen, State.SCHEDULED)).containsExactly("later");
        assertThat(ids(seen, State.READY)).containsExactly("released");
        assertThat(ids(seen, State.LEASED)).containsExactly("leased");
        assertThat(ids(seen, State.DEAD)).containsExactly("dead");
        StoredMessage<String> leased = seen.find("leased").orElseThrow();
        assertThat(leased.attempts()).isOne();
        assertThat(leased.leasedUntil()).isEmpty();
        assertThat(seen.find("dead").orElseThrow().reason()).contains("of no use");
        assertThat(seen.find("done")).isEmpty();
        assertThat(seen.forecast(Instant.now(), Instant.now().plusSeconds(7200), 2).counts())
            .containsExactly(1L, 0L);
      }
    }
  }

  @Test
  void changes_areRefusedAndChangeNothing() throws IOException {
    try (Punctual owner = owner()) {
      queue(owner).schedule(Message.of("a").id("a").dueIn(Duration.ofHours(1)));
      try (Punctual reader = reader()) {
        TimedQueue<String> queue = queue(reader);
        assertThatThrownBy(() -> queue.schedule("b", Duration.ZERO))
            .isInstanceOf(StoreRefusedException.class)
            .hasMessageContaining("access=read");
        assertThatThrownBy(queue::pause).hasMessageContaining("access=read");
        assertThatThrownBy(() -> reader.deleteQueue("q")).hasMessageContaining("access=read");
        assertThatThrownBy(() -> queue.purge(EnumSet.allOf(State.class)))
            .isInstanceOf(StoreRefusedException.class);
      }
      assertThat(queue(owner).counts())
          .extracting(
              Counts::scheduled,
              Counts::ready,
              Counts::leased,
              Counts::dead,
              Counts::finished,
              Counts::paused)
          .containsExactly(1L, 0L, 0L, 0L, 0L, false);
    }
  }

  @Test
  void reader_noOwner_readsWithoutChangingAFile() throws IOException {
    try (Punctual owner = owner()) {
      queue(owner).schedule(Message.of("a").id("a").dueIn(Duration.ofHours(1)));
    }
    Map<Path, byte[]> before = files();
    try (Punctual reader = reader()) {
      assertThat(ids(queue(reader), State.SCHEDULED)).containsExactly("a");
      // An owner can open the folder while a reader has it open.
      owner().close();
    }
    assertThat(before).isNotEmpty();
    try (Punctual reader = reader()) {
      Map<Path, byte[]> closed = files();
      assertThat(queue(reader).counts().scheduled()).isOne();
      assertThat(files()).usingRecursiveComparison().isEqualTo(closed);
    }
  }

  private Map<Path, byte[]> files() throws IOException {
    Map<Path, byte[]> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder.resolve("journal"))) {
      for (Path file : files.toList()) {
        contents.put(file, Files.readAllBytes(file));
      }
    }
    return contents;
  }

  @Test
  @Tag("extended")
  void snapshot_confirmedBefore_isInItWhileSegmentsAreReplaced() {
    try (Punctual owner = owner()) {
      TimedQueue<String> queue = queue(owner);
      List<String> kept = new ArrayList<>();
      for (int round = 0; round < 30; round++) {
        for (int i = 0; i < 100; i++) {
          String id = "m" + round + "-" + i;
          queue.schedule(Message.of("x".repeat(100)).id(id).dueIn(Duration.ofHours(1)));
          if (i % 10 == 0) {
            kept.add(id);
          } else {
            queue.cancel(id);
          }
        }
        try (Punctual reader = reader()) {
          assertThat(ids(queue(reader), State.SCHEDULED)).containsExactlyInAnyOrderElementsOf(kept);
        }
      }
    }
  }

  @Test
  void lookUps_anotherProcessWritesAllTheWhile_neverFail() throws Exception {
    Path journal = folder.resolve("journal");
    try (JavaProcess writer =
        CrashTest.start(journal, folder.resolve("history"), "writer", System.nanoTime())) {
      long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
      long looked = 0;
      while (System.nanoTime() < end) {
        try (JournalReader reader = JournalReader.open(journal, InstantSource.system())) {
          reader.look(JournalReaderTest::expectWhole).get();
        }
        // The look-ups of a client may see different snapshots, which need not agree.
        try (Punctual reader = reader()) {
          TimedQueue<String> queue = reader.queue(CrashingClient.QUEUE, Codec.string());
          assertThat(queue.counts().pending()).isNotNegative();
          ids(queue, State.SCHEDULED).forEach(id -> assertThat(queue.find(id)).isNotNull());
          looked++;
        }
      }
      assertThat(looked).isPositive();
      writer.expectAlive();
      writer.kill();
    }
    assertThat(JournalTool.verify(journal).damage()).isEmpty();
  }

  /** Expects that the look-ups of one snapshot agree. */
  private static int expectWhole(Snapshot snapshot) {
    PartitionView view = snapshot.queue(CrashingClient.QUEUE);
    List<String> ids = new ArrayList<>();
    String next = null;
    do {
      EntryPage page = view.browse(SCHEDULED, Cursor.parse(next, false), Partition.MAX_PAGE);
      page.entries().forEach(entry -> ids.add(entry.id()));
      next = page.next();
    } while (next != null);
    assertThat(ids).doesNotHaveDuplicates().hasSize((int) view.counts().scheduled());
    assertThat(ids).allMatch(id -> view.find(id).isPresent());
    return ids.size();
  }

  @Test
  void reader_segmentIsMissing_reportsTheDamageAndTheRepair() throws IOException {
    closedJournal();
    String segment;
    try (Stream<Path> files = Files.list(folder.resolve("journal"))) {
      Path missing = files.filter(file -> FileNames.isSegment(name(file))).findAny().orElseThrow();
      Files.delete(missing);
      segment = name(missing);
    }
    assertThatThrownBy(this::reader)
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining(segment)
        .hasMessageContaining("missing")
        .hasMessageContaining("repair");
  }

  @Test
  void reader_manifestIsMissing_reportsTheDamage() throws IOException {
    closedJournal();
    Files.delete(folder.resolve("journal").resolve(FileNames.MANIFEST));
    assertThatThrownBy(this::reader)
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining(FileNames.MANIFEST);
  }

  private void closedJournal() {
    try (Punctual owner = owner()) {
      queue(owner).schedule(Message.of("a").id("a").dueIn(Duration.ofHours(1)));
    }
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  @Test
  void age_isTenTimesTheReading_withinASecondAndHalfAMinute() {
    assertThat(JournalReader.age(Duration.ofMillis(5))).isEqualTo(Duration.ofSeconds(1));
    assertThat(JournalReader.age(Duration.ofMillis(500))).isEqualTo(Duration.ofSeconds(5));
    assertThat(JournalReader.age(Duration.ofSeconds(40))).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void access_otherWord_isRefused() {
    assertThatThrownBy(() -> Punctual.open("journal:" + folder + "?access=write"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("own or read");
  }
}
