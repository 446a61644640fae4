package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.kit.process.JavaProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests many pending messages of 100 bytes: 20,000, or 200,000 with the property {@code
 * punctual.thorough}. The property {@code punctual.messages} sets a different number. The store is
 * designed for ten million messages, which need 1.5 GB of disk.
 */
final class ScaleTest {
  private static final int MESSAGES =
      Integer.getInteger(
          "punctual.messages", Boolean.getBoolean("punctual.thorough") ? 200_000 : 20_000);
  private static final int BATCH = 1000;
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Random random = new Random(3);

  @Test
  void pendingMessages_many_takeLittleMemoryAndOpenAgain(@TempDir Path folder) {
    expectLittleMemory(folder, DAY_MILLIS);
  }

  /** No worker ran for a day, so all messages are due when the journal opens. */
  @Test
  void overdueMessages_many_takeLittleMemoryAndOpenAgain(@TempDir Path folder) {
    expectLittleMemory(folder, -2 * DAY_MILLIS);
  }

  /**
   * A process with the documented amount of memory schedules a backlog. A second process opens the
   * backlog, and acks or cancels a part of it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"waiting", "overdue"})
  @Tag("extended")
  void backlog_heapOfTheDocumentedSize_isEnough(String kind, @TempDir Path folder) {
    for (String step : List.of("schedule", "open")) {
      try (JavaProcess process =
          JavaProcess.of(Backlog.class)
              .options("-Xmx" + (((56L * MESSAGES) >> 20) + 64) + "m")
              .options("-XX:MaxDirectMemorySize=8m", "-XX:+ExitOnOutOfMemoryError")
              .arguments(step, kind, folder.toString(), Integer.toString(MESSAGES))
              .patience(LONGEST)
              .start()) {
        process.expectSuccess();
        System.out.println(process.log());
      }
    }
  }

  private void expectLittleMemory(Path folder, long fromMillis) {
    long base = usedBytes();
    try (JournalStore store = JournalStore.builder(folder).open()) {
      Session session = Session.of(store, "q");
      long begun = System.nanoTime();
      for (int i = 0; i < MESSAGES; i += BATCH) {
        Session.await(session.send(new Call.Apply(batch(i, fromMillis), null)));
      }
      report("scheduled, messages per second", perSecond(begun));
      expectMemory("scheduled", usedBytes() - base);
    }
    long begun = System.nanoTime();
    try (JournalStore store = JournalStore.builder(folder).open()) {
      report("opened, ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
      Session session = Session.of(store, "q");
      PartitionCounts counts = Session.await(session.partition().counts().toCompletableFuture());
      assertThat(counts.scheduled()).isEqualTo(fromMillis < 0 ? 0 : MESSAGES);
      assertThat(counts.ready()).isEqualTo(fromMillis < 0 ? MESSAGES : 0);
      assertThat(counts.overdueMillis() >= DAY_MILLIS).isEqualTo(fromMillis < 0);
      expectMemory("opened", usedBytes() - base);
    }
  }

  private List<Operation> batch(int first, long fromMillis) {
    List<Operation> batch = new ArrayList<>(BATCH);
    long now = System.currentTimeMillis();
    for (int i = first; i < first + BATCH; i++) {
      DueTime due = new DueTime(false, now + fromMillis + random.nextLong(DAY_MILLIS));
      byte[] payload = new byte[100];
      random.nextBytes(payload);
      batch.add(
          new Operation.Schedule(
              "order-%08d".formatted(i), due, IfPresent.KEEP, Content.of(payload)));
    }
    return batch;
  }

  /**
   * Checks the memory per message. Allows 8 MiB more for memory that does not grow with the
   * messages, such as buffers and threads.
   */
  private static void expectMemory(String when, long bytes) {
    report(when + ", bytes of memory per message", bytes / MESSAGES);
    assertThat(bytes).isLessThan(56L * MESSAGES + (8 << 20));
  }

  private static long perSecond(long begunNanos) {
    return MESSAGES * 1_000_000_000L / (System.nanoTime() - begunNanos);
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static void report(String what, long value) {
    System.out.println("ScaleTest: " + what + ": " + value);
  }

  /** Measures claims and acks of due messages in batches of 256. */
  @Test
  void claimAndAck_manyDue_each(@TempDir Path folder) {
    int due = Math.min(MESSAGES, 100_000);
    try (JournalStore store = JournalStore.builder(folder).open()) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < due; i += BATCH) {
        List<Operation> operations = new ArrayList<>();
        for (int k = i; k < i + BATCH; k++) {
          operations.add(
              Session.scheduling("m" + k, new DueTime(false, random.nextInt(1_000_000))));
        }
        Session.await(session.send(new Call.Apply(operations, null)));
      }
      long begun = System.nanoTime();
      int acked = 0;
      long last = Long.MIN_VALUE;
      while (acked < due) {
        Reply.Claimed claimed = session.claim(256);
        List<Operation> acks = new ArrayList<>();
        for (Reply.Leased leased : claimed.messages()) {
          assertThat(leased.dueMillis()).isGreaterThanOrEqualTo(last);
          last = leased.dueMillis();
          acks.add(new Operation.Ack(leased.id(), claimed.token()));
        }
        acked += acks.size();
        Session.await(session.send(new Call.Apply(acks, null)));
      }
      report(
          "claimed and acked one batch at a time, per second",
          due * 1_000_000_000L / (System.nanoTime() - begun));
    }
  }
}
