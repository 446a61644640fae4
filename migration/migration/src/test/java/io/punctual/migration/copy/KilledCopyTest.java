package io.punctual.migration.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.RoleProcess;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Entry;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the copying process several times, each time at a random step, and then lets it finish. The
 * system property {@code punctual.kills} sets the number of kills of each copy.
 */
@Tag("extended")
class KilledCopyTest {
  private static final int KILLS = Integer.getInteger("punctual.kills", 3);
  private static final long SEED = 3;
  private static final int MESSAGES = 3_000;
  private static final String QUEUE = "orders";

  private final Random random = new Random(SEED);

  private final WheelTimer timer = WheelTimer.create();

  @TempDir private Path folder;

  @AfterEach
  void closeTimer() {
    timer.close();
  }

  @Test
  void process_killedAgainAndAgain_copyIsEqualInTheEnd() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      String first = "journal:" + folder.resolve("first");
      String last = "journal:" + folder.resolve("last");
      Map<String, Entry> original;
      try (Store source = Stores.open(StoreUrl.parse(first), timer)) {
        Samples.fill(source, QUEUE, MESSAGES, 20_000, 11);
        original = Samples.all(source, QUEUE);
      }
      copyAndKill(first, redis.url());
      copyAndKill(redis.url(), last);
      try (Store target = Stores.open(StoreUrl.parse(last), timer)) {
        Samples.expectSame(Samples.all(target, QUEUE), original);
      }
    }
  }

  private void copyAndKill(String from, String to) {
    int copying = 0;
    try (KillRun run = new KillRun(folder, from, SEED)) {
      for (int i = 0; i < KILLS; i++) {
        RoleProcess copy = run.start(new CopyRole(to));
        copying += readSome(copy.process(), random.nextInt(9)) ? 1 : 0;
        run.kill(copy);
      }
      assertThat(copying).as("kills during a copy").isPositive();
      run.start(new CopyRole(to)).awaitEnd();
    }
  }

  /** Reads some lines of progress; returns whether the last line was about a copied page. */
  private static boolean readSome(JavaProcess process, int lines) {
    String line = process.nextLine();
    for (int i = 0; i < lines && line != null; i++) {
      line = process.nextLine();
    }
    return CopyProgress.Step.COPYING.name().equals(line);
  }
}
