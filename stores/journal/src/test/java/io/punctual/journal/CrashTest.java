package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.history.Recording;
import io.punctual.kit.process.JavaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests processes that open the same folder one after another, each killed at a random time. The
 * property {@code punctual.kills} sets the number of kills. The property {@code punctual.seed}
 * repeats the calls and times of an earlier run, as far as the timing of threads and processes
 * allows.
 */
final class CrashTest {
  private static final long SEED = Long.getLong("punctual.seed", System.nanoTime());
  private static final int KILLS = Integer.getInteger("punctual.kills", 4);

  @Test
  @Tag("extended")
  void killed_atRandomMoments_nothingLostRisenOrEarly(@TempDir Path folder) {
    Path journal = folder.resolve("journal");
    List<Path> histories = new ArrayList<>();
    System.out.println("CrashTest: -Dpunctual.seed=" + SEED);
    Random random = new Random(SEED);
    for (int run = 0; run < KILLS; run++) {
      Path history = folder.resolve("run-" + run);
      histories.add(history);
      killAfter(random.nextInt(600), start(journal, history, "run-" + run, random.nextLong()));
    }
    Path last = folder.resolve("last");
    histories.add(last);
    takeInventory(journal, last);
    HistoryReport report = History.read(histories).check();
    assertThat(report.breaches()).as(report.toString()).isEmpty();
    assertThat(report.confirmed()).isPositive();
  }

  static JavaProcess start(Path journal, Path history, String name, long seed) {
    return JavaProcess.of(CrashingClient.class)
        .small()
        .arguments(journal.toString(), history.toString(), name, Long.toString(seed))
        .ready("ready")
        .start();
  }

  private static void killAfter(long millis, JavaProcess process) {
    try (process) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
      process.expectAlive();
      process.kill();
    }
    // The journal ends a lease with its process, but the checker expects that each lease lasts its
    // whole time.
    await().pollDelay(CrashingClient.LEASE).until(() -> true);
  }

  /**
   * Claims and acks the waiting messages, then records the messages that remain, such as dead
   * letters. Without the acks, a message could be waiting because its lease ended with a process.
   * The checker would report that message, because it expects that a lease ends only by its time.
   */
  private static void takeInventory(Path journal, Path history) {
    try (Recording recording = Recording.to(history, "last");
        Punctual punctual = CrashingClient.open(journal, recording)) {
      TimedQueue<String> queue =
          recording.queue(punctual.queue(CrashingClient.QUEUE, Codec.string()));
      queue.work(delivery -> {});
      await().atMost(30, TimeUnit.SECONDS).until(() -> isDrained(queue.counts()));
      recording.inventory(queue);
    }
  }

  private static boolean isDrained(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() == 0;
  }
}
