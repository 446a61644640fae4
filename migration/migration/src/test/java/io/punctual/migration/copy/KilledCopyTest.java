package io.punctual.migration.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Entry;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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
  private static final int MESSAGES = 3_000;
  private static final String QUEUE = "orders";

  private final Random random = new Random(3);

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

  private void copyAndKill(String from, String to) throws Exception {
    int copying = 0;
    for (int i = 0; i < KILLS; i++) {
      Process process = start(from, to);
      copying += readSome(process, random.nextInt(9)) ? 1 : 0;
      process.destroyForcibly();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(copying).as("kills during a copy").isPositive();
    Process process = start(from, to);
    process.getInputStream().readAllBytes();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  private static Process start(String from, String to) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            List.of(
                java,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CopyProcess.class.getName(),
                from,
                to))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Reads some lines of progress; returns whether the last line was about a copied page. */
  private static boolean readSome(Process process, int lines) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    String line = reader.readLine();
    for (int i = 0; i < lines && line != null; i++) {
      line = reader.readLine();
    }
    return CopyProgress.Step.COPYING.name().equals(line);
  }
}
