package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.Terminal;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.memory.MemoryStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Imports a Redisson delayed queue from the shell. */
final class ImportCommandTest {
  private static RedisProcess redis;
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @AfterEach
  void clear() {
    Object unused = redis.ask("FLUSHALL");
  }

  private static void offer(String random, String payload) {
    Object unused =
        redis.ask(
            "EVAL",
            "local v = struct.pack('Bc0Lc0', 8, ARGV[1], #ARGV[2], ARGV[2])"
                + " redis.call('zadd', KEYS[2], ARGV[3], v) redis.call('rpush', KEYS[1], v)",
            "2",
            "redisson_delay_queue:{orders}",
            "redisson_delay_queue_timeout:{orders}",
            random,
            payload,
            "4000000000000");
  }

  private Cli.Result importing(String... more) {
    String[] words = {"import", "redisson", "q", "--from", redis.url(), "--queue", "orders"};
    String[] all = new String[words.length + more.length];
    System.arraycopy(words, 0, all, 0, words.length);
    System.arraycopy(more, 0, all, words.length, more.length);
    return cli.run(all);
  }

  @Test
  void redisson_isCountedThenImported() {
    offer("12345678", "{\"@class\":\"a.Order\",\"n\":1}");

    Cli.Result counted = importing("--payload", "untyped-json", "--dry-run", "-o", "json");
    assertThat(counted.exitCode()).as(counted.err()).isZero();
    assertThat(counted.json().get("found").asInt()).isOne();
    assertThat(counted.json().get("currentFormat").asInt()).isOne();
    assertThat(counted.json().get("earliest").asString()).startsWith("2096-10-02T07:06:40");

    Cli.Result imported = importing("--payload", "untyped-json");
    assertThat(imported.exitCode()).as(imported.err()).isZero();
    assertThat(imported.out()).containsPattern("scheduled +1\\b").containsPattern("left +0\\b");
    JsonNode message = cli.run("show", "q", "redisson-3132333435363738", "-o", "json").json();
    assertThat(message.get("payload").toString()).isEqualTo("{\"n\":1}");
    assertThat(redis.ask("DBSIZE")).isEqualTo(0L);
  }

  /** The first batch is staged before the store refuses it, and there are no counts yet. */
  @Test
  void firstBatchIsRefused_saysWhyItWaits_andThatEntriesMayBeStaged() {
    offer("12345678", "{\"n\":1}");
    try (RedisProcess full = RedisProcess.start()) {
      Object unused = full.ask("CONFIG", "SET", "maxmemory", "1");
      Cli terminal = new Cli();
      terminal.terminal = new Terminal(true, true, true, false, true, 120);
      Cli.Result failed =
          terminal.run(
              "--store",
              full.url(),
              "import",
              "redisson",
              "q",
              "--from",
              redis.url(),
              "--queue",
              "orders",
              "--payload",
              "json",
              "--patience",
              "1ms");
      assertThat(failed.exitCode()).as(failed.err()).isNotZero();
      assertThat(failed.err()).contains("Waiting: ").contains("maxmemory");
      assertThat(failed.err()).contains("staged, delivered by neither side", "--abort");
    }
  }

  @Test
  void unreadablePayload_isExplained_andPutBackByAbort() {
    offer("12345678", "no json");

    Cli.Result imported = importing("--payload", "json");
    assertThat(imported.exitCode()).isEqualTo(1);
    assertThat(imported.err()).contains("Not imported: redisson-3132333435363738: Its payload");

    Cli.Result aborted = importing("--abort");
    assertThat(aborted.exitCode()).as(aborted.err()).isZero();
    assertThat(redis.ask("LLEN", "redisson_delay_queue:{orders}")).isEqualTo(1L);
  }

  @Test
  void wrongUsage_isRefused() {
    assertThat(importing("--payload", "xml").exitCode()).isEqualTo(2);
    assertThat(importing("--patience", "soon").exitCode()).isEqualTo(2);
    assertThat(importing("--abort", "--follow").exitCode()).isEqualTo(2);
    assertThat(cli.run("import").exitCode()).isEqualTo(2);
    assertThat(cli.run("import", "redisson", "q", "--from", "memory:").exitCode()).isEqualTo(2);
  }

  @Test
  void unreachableRedis_hasTheExitCodeOfAnUnreachableStore() {
    Cli.Result result = cli.run("import", "redisson", "q", "--from", "redis://127.0.0.1:1");

    assertThat(result.exitCode()).as(result.err()).isEqualTo(5);
  }
}
