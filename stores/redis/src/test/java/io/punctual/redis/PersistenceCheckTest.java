package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the warning about a server that loses its messages when its process is killed. */
final class PersistenceCheckTest {
  private static final String WARNING = "has no append-only file";

  /** Opens and uses a store; the replies of the check arrive before that of the last request. */
  private static void open(String url) {
    try (RedisStore store = RedisStore.builder().url(url).open()) {
      store.ping().toCompletableFuture().join();
    }
  }

  @Test
  void serverWithoutAppendOnlyFile_isReportedOnceForEachClient() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    redis.ask("ACL", "SETUSER", "no-config", "on", ">secret", "~*", "&*", "+@all", "-config");
    try (CapturedLog log = new CapturedLog()) {
      open("redis://no-config:secret@127.0.0.1:" + redis.port() + "?timeout=60s");
      assertThat(log.linesWith(WARNING))
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line)
                      .contains("WARN", "127.0.0.1:" + redis.port(), "appendonly yes")
                      .doesNotContain("secret"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"allowEviction=true", "durability=replicas:1", "proxy=true"})
  void lossesAreAcceptedOrCovered_nothingIsSaid(String option) {
    try (CapturedLog log = new CapturedLog()) {
      open(RedisProcess.sharedAndEmpty().url() + "?timeout=60s&" + option);
      assertThat(log.linesWith(WARNING)).isEmpty();
    }
  }

  @Test
  void serverWithAppendOnlyFile_nothingIsSaid() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    redis.ask("CONFIG", "SET", "appendonly", "yes");
    try (CapturedLog log = new CapturedLog()) {
      open(redis.url() + "?timeout=60s");
      assertThat(log.linesWith(WARNING)).isEmpty();
    } finally {
      redis.ask("CONFIG", "SET", "appendonly", "no");
    }
  }

  /** After a fail-over, each of many clients opens connections at about the same time. */
  @Test
  void newConnection_sendsNoScriptsAhead() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    redis.ask("SCRIPT", "FLUSH");
    redis.ask("CONFIG", "RESETSTAT");
    try (RedisStore store = RedisStore.builder().url(redis.url() + "?timeout=60s").open()) {
      new PartitionUser(store, "q").schedule("a", 1);
      Awaitility.await()
          .until(() -> store.queues().toCompletableFuture().join(), List.of("q")::equals);
    }
    String stats = String.valueOf(redis.ask("INFO", "commandstats"));
    assertThat(stats)
        .contains("cmdstat_eval:", "cmdstat_evalsha:")
        .doesNotContain("script|load", "cmdstat_script:calls");
  }
}
