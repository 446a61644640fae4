package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.journal.disk.FileNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests repairs that end half-way, and are done again. */
final class InterruptedRepairTest {
  private static final Duration NO_COMPACTION = Duration.ofDays(1);

  private final Random random = new Random(29);

  /**
   * Returns the files of a journal with three segments of two messages each. The second message of
   * the first two segments is damaged.
   */
  private Map<String, byte[]> damaged() throws IOException {
    SimulatedDisk disk = new SimulatedDisk(random);
    for (int i = 1; i <= 3; i++) {
      try (JournalStore store = FailedForceHistory.open(disk, NO_COMPACTION)) {
        Session.of(store, "q").schedule("a" + i, Session.PAST);
        Session.of(store, "q").schedule("b" + i, Session.PAST);
      }
    }
    Map<String, byte[]> files = new TreeMap<>(DamageTest.files(disk));
    for (int i = 1; i <= 2; i++) {
      String name = segments(disk).get(i - 1);
      SegmentBytes bytes = new SegmentBytes(files.get(name));
      files.put(name, bytes.flip(bytes.indexOf("payload of b" + i)).bytes());
    }
    return files;
  }

  private static List<String> segments(SimulatedDisk disk) throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).sorted().toList();
  }

  private static Map<String, String> texts(Map<String, byte[]> files) {
    Map<String, String> texts = new TreeMap<>();
    files.forEach((name, bytes) -> texts.put(name, new String(bytes, StandardCharsets.ISO_8859_1)));
    return texts;
  }

  private SimulatedDisk disk(Map<String, byte[]> files) {
    SimulatedDisk disk = new SimulatedDisk(random);
    files.forEach(disk::put);
    return disk;
  }

  private static void expectContent(SimulatedDisk disk) {
    try (JournalStore store = FailedForceHistory.open(disk, NO_COMPACTION)) {
      List<String> ids = new ArrayList<>(Session.of(store, "q").claimIds());
      ids.sort(null);
      assertThat(ids).containsExactly("a1", "a2", "a3", "b3");
    }
  }

  /** Expects that a copy of each damaged segment is there. */
  private static void expectCopies(SimulatedDisk disk, Map<String, byte[]> damaged) {
    Map<String, byte[]> files = DamageTest.files(disk);
    damaged.keySet().stream()
        .filter(FileNames::isSegment)
        .limit(2)
        .forEach(
            name ->
                assertThat(files.entrySet())
                    .as("copies of %s", name)
                    .anyMatch(
                        file ->
                            file.getKey().startsWith(name + ".damaged")
                                && Arrays.equals(file.getValue(), damaged.get(name))));
  }

  private void expectRepairAfterAnyLossOfPower(Map<String, byte[]> files) throws IOException {
    boolean complete = false;
    for (int operations = 0; !complete; operations++) {
      for (int chance = 0; chance < 8; chance++) {
        SimulatedDisk disk = disk(files);
        disk.losePowerAfter(operations);
        try {
          complete = JournalTool.repair(disk, plan -> true).done();
        } catch (IOException e) {
          assertThat(disk.hasLostPower()).isTrue();
        }
        SimulatedDisk found = disk.afterPowerLoss();
        JournalTool.repair(found, plan -> true);
        assertThat(JournalTool.verify(found).damage()).isEmpty();
        expectCopies(found, files);
        expectContent(found);
        expectCopies(found, files);
      }
    }
  }

  @Test
  void repair_twoSegmentsDamagedAndPowerLostAnywhere_canBeDoneAgain() throws IOException {
    expectRepairAfterAnyLossOfPower(damaged());
  }

  @Test
  @Tag("extended")
  void repair_manifestLostTooAndPowerLostAnywhere_canBeDoneAgain() throws IOException {
    Map<String, byte[]> files = damaged();
    files.remove(FileNames.MANIFEST);
    expectRepairAfterAnyLossOfPower(files);
  }

  /** Copies that a failed repair left behind would fill the disk further with each attempt. */
  @Test
  void repair_diskBecomesFull_leavesTheFilesAsTheyWere() throws IOException {
    Map<String, byte[]> files = damaged();
    boolean complete = false;
    int failures = 0;
    for (int free = 0; !complete; free += 200) {
      SimulatedDisk disk = disk(files);
      disk.capacity(disk.usedBytes() + free);
      try {
        complete = JournalTool.repair(disk, plan -> true).done();
      } catch (IOException e) {
        failures++;
        assertThat(e).hasMessageContaining("No space left");
        assertThat(texts(DamageTest.files(disk))).as("%d bytes free", free).isEqualTo(texts(files));
      }
      if (complete) {
        expectContent(disk);
      }
    }
    assertThat(failures).isGreaterThan(3);
  }
}
