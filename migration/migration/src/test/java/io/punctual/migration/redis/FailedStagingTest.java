package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests a server that refuses to stage entries. */
final class FailedStagingTest {
  @Test
  void run_stagingFailsBesideAnEntryThatStays_readsThePageAgain() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open("memory:")) {
      String due = Long.toString(Instant.now().plusSeconds(3600).toEpochMilli());
      Object unused = redis.ask("ZADD", "delay", due, "a-good", due, "b-bad");
      AtomicBoolean failed = new AtomicBoolean();
      FutureTask<Void> healer = new FutureTask<>(() -> allowWritesAfterARefusal(redis), null);

      ImportReport report =
          ZsetImport.from(redis.url(), "delay", ScoreUnit.MILLISECONDS)
              .to(
                  punctual.queue("orders", Codec.string()),
                  bytes -> {
                    // The importer reads the payloads of a page before it stages the page in Redis,
                    // so the staging fails.
                    if (failed.compareAndSet(false, true)) {
                      refuseWrites(redis);
                      new Thread(healer, "healer").start();
                    }
                    return checked(new String(bytes, UTF_8));
                  })
              .run();

      assertThat(failed).isTrue();
      healer.get(60, TimeUnit.SECONDS);
      assertThat(report.scheduled()).isEqualTo(1);
      assertThat(report.left()).isEqualTo(1);
      assertThat(redis.ask("ZRANGE", "delay", "0", "-1")).isEqualTo(List.of("b-bad"));
    }
  }

  @Test
  void run_missingRight_failsWithoutAChange() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open("memory:")) {
      String due = Long.toString(Instant.now().plusSeconds(3600).toEpochMilli());
      Object unused = redis.ask("ZADD", "delay", due, "a");
      unused = redis.ask("HSET", "jobs", "a", "1");
      unused =
          redis.ask(
              "ACL", "SETUSER", "reader", "on", ">secret", "~*", "&*", "+@all", "-zrem", "-hdel");
      String url = redis.url().replace("redis://", "redis://reader:secret@");

      assertThatThrownBy(
              () ->
                  ZsetImport.from(url, "delay", ScoreUnit.MILLISECONDS)
                      .to(punctual.queue("q", Codec.bytes()))
                      .jobs("jobs")
                      .run())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("right");
      assertThat(redis.ask("ZCARD", "delay")).isEqualTo(1L);
      assertThat(redis.ask("HLEN", "jobs")).isEqualTo(1L);
      assertThat(redis.ask("EXISTS", "punctual_zset_import:{delay}")).isEqualTo(0L);
    }
  }

  private static String checked(String payload) {
    if (payload.equals("b-bad")) {
      throw new IllegalArgumentException("It is bad");
    }
    return payload;
  }

  private static void refuseWrites(RedisProcess redis) {
    Object unused = redis.ask("CONFIG", "RESETSTAT");
    unused = redis.ask("CONFIG", "SET", "min-replicas-to-write", "1");
  }

  private static void allowWritesAfterARefusal(RedisProcess redis) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> String.valueOf(redis.ask("INFO", "errorstats")).contains("NOREPLICAS"));
    Object unused = redis.ask("CONFIG", "SET", "min-replicas-to-write", "0");
  }
}
