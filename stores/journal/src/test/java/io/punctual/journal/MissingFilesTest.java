package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.SalvagedSegment;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests segments that another program deletes, replaces or cuts. */
@Timeout(300)
final class MissingFilesTest {
  @TempDir Path folder;

  private Path lastSegment() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> FileNames.isSegment(file.getFileName().toString()))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  private static void harm(Path segment, String how) throws IOException {
    switch (how) {
      case "deleted" -> Files.delete(segment);
      case "replaced" -> {
        Path copy = segment.resolveSibling("copy");
        Files.copy(segment, copy);
        Files.delete(segment);
        Files.move(copy, segment);
      }
      default -> {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
          channel.truncate(how.equals("emptied") ? 0 : channel.size() - 1);
        }
      }
    }
  }

  /** The open segment is lost, so no further change may be confirmed. */
  @ParameterizedTest
  @ValueSource(strings = {"deleted", "replaced", "emptied", "cut"})
  void schedule_openSegmentWasHarmed_isNotConfirmed(String how) throws IOException {
    try (Punctual punctual = Punctual.open("journal:" + folder)) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule("before", Duration.ofDays(1));
      harm(lastSegment(), how);

      assertThatThrownBy(() -> queue.schedule("after", Duration.ofDays(1)))
          .isInstanceOf(PunctualException.class)
          .hasStackTraceContaining("closed for good")
          .hasStackTraceContaining(lastOf(how));
    }
  }

  private static String lastOf(String how) {
    return switch (how) {
      case "deleted" -> "another program has deleted it";
      case "replaced" -> "another program has replaced it";
      default -> "another program has cut it";
    };
  }

  /** The journal does not force, so it looks at its file from time to time. */
  @ParameterizedTest
  @CsvSource({"os, deleted", "os, emptied", "600000ms, deleted", "600000ms, cut"})
  void schedule_openSegmentWasHarmedAndNothingIsForced_isNoticed(String fsync, String how)
      throws IOException {
    try (Punctual punctual = Punctual.open("journal:" + folder + "?fsync=" + fsync)) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule("before", Duration.ofDays(1));
      harm(lastSegment(), how);

      assertThatThrownBy(() -> scheduleUntilItFails(queue))
          .hasStackTraceContaining("closed for good")
          .hasStackTraceContaining(lastOf(how));
    }
  }

  private static void scheduleUntilItFails(TimedQueue<String> queue) {
    for (int i = 0; true; i++) {
      queue.schedule("m" + i, Duration.ofDays(1));
    }
  }

  private static SimulatedDisk diskWithTwoSegments(boolean isKilled) {
    SimulatedDisk disk = new SimulatedDisk(new Random(5));
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ZERO)) {
      Session.of(store, "q").schedule("first", Session.FAR);
    }
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ZERO)) {
      Session.of(store, "q").schedule("second", Session.FAR);
      if (isKilled) {
        return disk.afterKill();
      }
    }
    return disk;
  }

  private static String lastSegment(SimulatedDisk disk) throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).max(String::compareTo).orElseThrow();
  }

  /** Nothing records the length of an open segment. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 47})
  void open_lastSegmentOfAKilledProcessIsGone_saysThatTheLossIsUnknown(int length)
      throws IOException {
    SimulatedDisk disk = diskWithTwoSegments(true);
    String last = lastSegment(disk);
    if (length < 0) {
      disk.delete(last);
    } else {
      disk.put(last, Arrays.copyOf(disk.get(last), length));
    }

    assertThatThrownBy(() -> FailedForceHistory.openOrThrow(disk))
        .isInstanceOf(JournalDamagedException.class)
        .hasMessageContaining(last)
        .hasMessageContaining("an unknown number of bytes");
    assertThat(JournalTool.repair(disk, plan -> true).segments())
        .extracting(SalvagedSegment::lostBytes)
        .containsExactly(SalvagedSegment.UNKNOWN);
  }

  @Test
  void open_endedSegmentWasCut_countsTheBytesThatAreMissing() throws IOException {
    for (int missing = 1; missing < 200; missing++) {
      SimulatedDisk disk = diskWithTwoSegments(false);
      String last = lastSegment(disk);
      byte[] bytes = disk.get(last);
      disk.put(last, Arrays.copyOf(bytes, bytes.length - missing));

      assertThat(JournalTool.repair(disk, plan -> false).segments())
          .allSatisfy(segment -> assertThat(segment.lostBytes()).isPositive())
          .hasSize(1);
    }
  }
}
