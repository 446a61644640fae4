package io.punctual.journal;

import io.punctual.IfPresent;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A journal with many segments, and a process that may open fewer files than the journal has: it
 * fills and reads the journal, opens it again, and then takes all file descriptors that are left.
 */
final class ManySegments {
  private static final int SEGMENTS = 300;
  private static final byte[] CONTENT = new byte[4000];

  private final Path folder;
  private int messages;

  private ManySegments(Path folder) {
    this.folder = folder;
  }

  /** The argument is the folder. */
  public static void main(String[] args) throws IOException {
    ManySegments many = new ManySegments(Path.of(args[0]));
    try (JournalStore store = open(many.folder)) {
      many.messages = fill(store, many.folder, SEGMENTS);
      many.readAll(store);
    }
    try (JournalStore store = open(many.folder)) {
      many.readAll(store);
      many.workWithoutDescriptors(store);
    }
    many.lookAtAll();
    System.out.println("worked");
  }

  /** A reader keeps all files open, unless there are too many. */
  private void lookAtAll() {
    if (JournalTool.stats(folder).segments() < SEGMENTS) {
      throw new AssertionError("there are few segments");
    }
    JournalReader reader = JournalReader.open(folder, InstantSource.system());
    List<Partition> partitions = Session.await(reader.partitions("q").toCompletableFuture());
    for (int i = 0; i < messages; i++) {
      if (Session.await(partitions.get(0).find("m" + i).toCompletableFuture()).isEmpty()) {
        throw new AssertionError("message " + i + " is lost");
      }
    }
    reader.close();
  }

  static JournalStore open(Path folder) throws IOException {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), Fsync.OS, 4096, 0, Duration.ZERO);
    return new JournalStore(OpenJournal.open(Folder.take(folder, true), options), "test:");
  }

  /** Schedules messages until there are this number of segments, and returns their number. */
  static int fill(JournalStore store, Path folder, int segments) throws IOException {
    Session session = Session.of(store, "q");
    int scheduled = 0;
    while (segments(folder) < segments) {
      schedule(session, scheduled++);
    }
    return scheduled;
  }

  private static void schedule(Session session, int message) {
    Outcome outcome = session.apply(scheduling("m" + message)).get(0);
    if (!(outcome instanceof Outcome.OfSchedule)) {
      throw new AssertionError(outcome.toString());
    }
  }

  private static Operation scheduling(String id) {
    return new Operation.Schedule(id, Session.PAST, IfPresent.REPLACE, Content.of(CONTENT));
  }

  private static long segments(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> FileNames.isSegment(file.getFileName().toString())).count();
    }
  }

  static void readAll(JournalStore store, int messages) {
    Session session = Session.of(store, "q");
    for (int i = 0; i < messages; i++) {
      if (Session.await(session.partition().find("m" + i).toCompletableFuture()).isEmpty()) {
        throw new AssertionError("message " + i + " is lost");
      }
    }
  }

  private void readAll(JournalStore store) {
    readAll(store, messages);
  }

  private void workWithoutDescriptors(JournalStore store) throws IOException {
    Session session = Session.of(store, "q");
    int before = session.claim(1).messages().size();
    List<FileInputStream> taken = takeDescriptors();
    try {
      readAll(store);
      int claimed = session.claim(100).messages().size();
      for (int i = 0; i < 50; i++) {
        schedule(session, messages++);
      }
      readAll(store);
      if (before + claimed != 101) {
        throw new AssertionError("claimed " + claimed);
      }
    } finally {
      for (FileInputStream one : taken) {
        one.close();
      }
    }
  }

  private static List<FileInputStream> takeDescriptors() {
    List<FileInputStream> taken = new ArrayList<>();
    try {
      while (true) {
        taken.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      System.out.println("took " + taken.size() + ": " + e.getMessage());
      return taken;
    }
  }
}
