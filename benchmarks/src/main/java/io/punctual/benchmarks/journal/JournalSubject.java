package io.punctual.benchmarks.journal;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The journal. Each trial has its own process, and an empty folder on the given disk. */
public final class JournalSubject implements Subject {
  /**
   * The documented heap of a pending message in bytes. The trial with many pending messages has a
   * heap of {@link #FIXED_MEGABYTES} plus this size for each message.
   */
  private static final long HEAP_OF_EACH = 56;

  private static final long FIXED_MEGABYTES = 64;

  private final Path disk;
  private final int messages;
  private final int pending;
  private final int seconds;
  private final int many;
  private final int records;

  /** Creates the subject, with journals in new folders below {@code disk}. */
  public JournalSubject(Effort effort, Path disk) {
    this.disk = disk;
    messages = effort.choose(20_000, 200_000);
    pending = effort.choose(10_000, 1_000_000);
    seconds = effort.choose(3, 30);
    many = effort.choose(100_000, 10_000_000);
    records = effort.choose(40_000, 400_000);
  }

  @Override
  public List<Trial> trials() {
    String batches = "schedule, batches of 1,000";
    String singles = "schedule, 64 threads one by one";
    String lateness =
        String.format(Locale.ROOT, "lateness at %,d messages a second", PacedDeliveries.PER_SECOND);
    String reads = "read a record of 160 bytes";
    int paced = seconds * PacedDeliveries.PER_SECOND;
    return List.of(
        writes(batches, "append and fsync", JournalWork.PLAIN_BATCHES),
        writes(batches, "Punctual, scheduleAll", JournalWork.CLIENT_BATCHES),
        writes(batches, "Punctual, SPI", JournalWork.PARTITION_BATCHES),
        writes(singles, "append and fsync, 64 each", JournalWork.PLAIN_SMALL),
        writes(singles, "Punctual, schedule", JournalWork.SINGLE_CALLS),
        writes("claim and ack, batches of 256", "Punctual, SPI", JournalWork.CLAIMS_AND_ACKS),
        trial(lateness, pending, "Punctual", seconds + 10, JournalWork.LATENESS, paced),
        trial("many pending", many, "Punctual", 5 + many / 100_000, JournalWork.MANY_PENDING, many),
        trial(reads, -1, "pread", 5, JournalWork.PREAD, records),
        trial(reads, -1, "mapped file", 5, JournalWork.MAPPED_FILE, records));
  }

  private Trial writes(String workload, String contender, JournalWork work) {
    return trial(workload, -1, contender, 10, work, messages);
  }

  private Trial trial(
      String workload, long size, String contender, int seconds, JournalWork work, int count) {
    return new Trial(
        workload, size, contender, Duration.ofSeconds(seconds), () -> run(work, count));
  }

  private TrialOutcome run(JournalWork work, int size) throws Exception {
    Path folder = Files.createTempDirectory(Files.createDirectories(disk), "journal");
    try (Child child =
        Child.start(
            JournalChild.class,
            jvmOptions(work),
            work.name(),
            folder.toString(),
            Integer.toString(size),
            Integer.toString(pending))) {
      return new TrialOutcome(child.expectSamples(), null, null);
    } finally {
      delete(folder);
    }
  }

  private List<String> jvmOptions(JournalWork work) {
    if (work != JournalWork.MANY_PENDING) {
      return List.of("-Xmx1g");
    }
    long megabytes = FIXED_MEGABYTES + ((HEAP_OF_EACH * (many + ManyPending.FEW)) >> 20);
    return List.of(
        "-Xmx" + megabytes + "m", "-XX:MaxDirectMemorySize=8m", "-XX:+ExitOnOutOfMemoryError");
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Override
  public List<String> leftOut() {
    return List.of();
  }

  @Override
  public List<String> versions() {
    return List.of("JDK " + Runtime.version());
  }

  @Override
  public void close() {
    // Nothing remains to be closed, because each trial has its own process and folder.
  }
}
