package io.punctual.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.IfPresent;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Writes the golden journal: the files of a process that died, with most types of records. Run this
 * program again only for a new version of the format, and give the new journal a new name. The
 * journals of earlier versions are kept, because every later version must read them.
 */
final class GoldenJournal {
  static final String VERSION_1 = "golden-journal-1.zip";

  private GoldenJournal() {}

  /** The argument is the name of the file to write. */
  public static void main(String[] arguments) throws IOException {
    Map<String, byte[]> files = write();
    try (ZipOutputStream zip = new ZipOutputStream(open(Path.of(arguments[0])))) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        ZipEntry entry = new ZipEntry(file.getKey());
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(file.getValue());
      }
    }
  }

  private static OutputStream open(Path path) throws IOException {
    return Files.newOutputStream(path);
  }

  static Map<String, byte[]> read(String name) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (InputStream in = GoldenJournal.class.getResourceAsStream("/" + name);
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        files.put(entry.getName(), zip.readAllBytes());
      }
    }
    return files;
  }

  private static JournalStore open(SimulatedDisk disk, Duration compactionPause) {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), Fsync.ALWAYS, 1 << 20, 0, compactionPause);
    try {
      return new JournalStore(OpenJournal.open(new Folder(disk, () -> {}), options), "golden");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, byte[]> write() {
    SimulatedDisk disk = new SimulatedDisk(new Random(1));
    try (JournalStore store = open(disk, Duration.ofDays(1))) {
      fill(store);
    }
    try (JournalStore store = open(disk, Duration.ofMillis(1))) {
      waitForHint(disk, store);
    }
    JournalStore store = open(disk, Duration.ofDays(1));
    die(store);
    Map<String, byte[]> files = DamageTest.files(disk.afterKill());
    files.remove(FileNames.OWNER);
    return files;
  }

  private static void waitForHint(SimulatedDisk disk, JournalStore store) {
    while (DamageTest.files(disk).keySet().stream().noneMatch(name -> name.endsWith(".hint"))) {
      Session.await(store.queues().toCompletableFuture());
    }
  }

  private static void fill(JournalStore store) {
    Session orders = Session.of(store, "orders");
    orders.schedule("retried", Session.PAST);
    orders.schedule("dead", Session.PAST);
    orders.schedule("acked", Session.PAST);
    long token = orders.claim(10).token();
    orders.apply(
        new Operation.Retry("retried", token, Session.FAR, "history of retried".getBytes(UTF_8)),
        new Operation.Bury("dead", token, "history of dead".getBytes(UTF_8)),
        new Operation.Ack("acked", token));
    orders.schedule("waiting", Session.FAR);
    orders.schedule("replaced", Session.PAST);
    orders.schedule("replaced", new DueTime(false, 4_100_000_000_000L));
    orders.schedule("cancelled", Session.FAR);
    orders.apply(new Operation.Cancel("cancelled"));
    Content content = new Content(new byte[] {0, -1}, Map.of("tenant", "ä"), 4_200_000_000_000L);
    orders.apply(new Operation.Schedule("headers", Session.FAR, IfPresent.REJECT, content));
    Session paused = Session.of(store, "päused");
    paused.schedule("first", Session.PAST);
    Session.await(paused.partition().pause(true).toCompletableFuture());
  }

  /**
   * Leaves a leased message and an open segment, as a process does that dies. The store is not
   * closed.
   */
  private static void die(JournalStore store) {
    Session jobs = Session.of(store, "jobs");
    jobs.schedule("leased", Session.PAST);
    Session.await(jobs.send(new Call.Claim(10, 3_600_000)));
    Session.of(store, "orders")
        .apply(
            new Operation.Cancel("waiting"),
            new Operation.Reschedule("retried", new DueTime(false, 4_300_000_000_000L)));
    List<String> unused = Session.await(store.queues().toCompletableFuture());
  }
}
