package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the packaged command as several processes that use the same Redis server. */
class RedisCommandIT {
  private static final int LINES = 100_000;
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path folder;

  private Path file(String name) {
    return folder.resolve(name);
  }

  private Process start(String name, Path input, String... arguments) throws IOException {
    return PackagedCommand.with(folder, arguments)
        .launch(
            Redirect.from(input.toFile()),
            Redirect.to(file(name + ".out").toFile()),
            Redirect.to(file(name + ".err").toFile()));
  }

  private void assertSucceeds(String name, Process process) throws Exception {
    boolean ended = process.waitFor(120, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(name).isTrue();
    assertThat(process.exitValue()).as(Files.readString(file(name + ".err"))).isZero();
  }

  @Test
  void schedule_inOneProcess_consumedInAnotherOnceAndUnaltered() throws Exception {
    GeneratedLog log = new GeneratedLog(LINES);
    Files.copy(log.asInput(Duration.ofSeconds(5)), file("lines"));
    Path nothing = Files.createFile(file("nothing"));
    try (RedisProcess redis = RedisProcess.start()) {
      Process consumer =
          start("consume", nothing, "consume", "q", "--max", "" + LINES, "--store", redis.url());
      Process producer = start("schedule", file("lines"), "schedule", "q", "--store", redis.url());
      assertSucceeds("schedule", producer);
      assertSucceeds("consume", consumer);

      Process counts = start("stats", nothing, "stats", "q", "-o", "json", "--store", redis.url());
      assertSucceeds("stats", counts);
      assertThat(Files.readString(file("stats.out")))
          .contains("\"scheduled\":0,\"ready\":0,\"overdueMillis\":0,\"leased\":0,\"dead\":0");
    }
    assertThat(Files.readAllLines(file("schedule.out"), UTF_8)).hasSize(LINES);
    List<String> deliveries = Files.readAllLines(file("consume.out"), UTF_8);
    Map<String, String> payloads = new HashMap<>();
    for (String delivery : deliveries) {
      JsonNode line = JSON.readTree(delivery);
      assertThat(line.get("attempt").asInt()).isOne();
      assertThat(line.get("latenessMillis").asDouble()).isNotNegative();
      payloads.put(line.get("id").asString(), line.get("payload").asString());
    }
    assertThat(deliveries).hasSize(LINES);
    for (int i = 0; i < LINES; i++) {
      assertThat(payloads.get("line-" + i)).isEqualTo(log.line(i));
    }
  }

  @Test
  void demo_onRedis_isFaultless() throws Exception {
    Path nothing = Files.createFile(file("nothing"));
    try (RedisProcess redis = RedisProcess.start()) {
      Process demo =
          start(
              "demo",
              nothing,
              "demo",
              "--messages",
              "2000",
              "--within",
              "2s",
              "--json",
              "--store",
              redis.url());
      assertSucceeds("demo", demo);
    }
    JsonNode summary = JSON.readTree(file("demo.out"));
    assertThat(summary.get("scheduled").asInt()).isEqualTo(2000);
    assertThat(summary.get("lost").asInt()).isZero();
    assertThat(summary.get("early").asInt()).isZero();
    assertThat(summary.get("duplicates").asInt()).isZero();
  }
}
