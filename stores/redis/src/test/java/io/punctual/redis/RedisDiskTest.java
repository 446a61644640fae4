package io.punctual.redis;

import static io.punctual.redis.PartitionUser.scheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests changes that the server's disk has to confirm: on servers that confirm correctly, never, or
 * too early.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class RedisDiskTest {
  private static final Pattern VALKEY = Pattern.compile("valkey_version:(\\S+)");
  private static final Pattern REDIS = Pattern.compile("redis_version:(\\S+)");

  /** Versions whose fsyncs were counted with strace, and match their confirmations. */
  private static final List<String> RIGHT = List.of("Redis 8.0.2", "Redis 8.6.3");

  private static final List<String> FAULTY = List.of("Valkey 8.1.1", "Valkey 9.1.2");

  private static RedisStoreBuilder aof(RedisProcess redis) {
    return RedisStore.builder().url(redis.url() + "?durability=aof");
  }

  private static String version(RedisProcess redis) {
    String info = String.valueOf(redis.ask("INFO", "server"));
    Matcher valkey = VALKEY.matcher(info);
    Matcher plain = REDIS.matcher(info);
    Optional<String> name =
        Stream.of(valkey)
            .filter(Matcher::find)
            .map(found -> "Valkey " + found.group(1))
            .findFirst();
    assertThat(plain.find()).isTrue();
    return name.orElseGet(() -> "Redis " + plain.group(1));
  }

  private static boolean knowsWaitAof(RedisProcess redis) {
    return redis.ask("COMMAND", "INFO", "waitaof") instanceof List<?> known && known.get(0) != null;
  }

  @Test
  void everySecond_serverConfirmsWhatIsNotOnDisk_refusedWithItsVersion() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("everysec").start()) {
      assumeTrue(FAULTY.contains(version(redis)));
      assertThatThrownBy(() -> aof(redis).open())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining(version(redis))
          .hasMessageContaining("not on its disk")
          .hasMessageContaining("appendfsync to always");
    }
  }

  @Test
  void everySecond_rightServer_confirmedWithinTheDefaultTimeAndNothingIsLeftBehind() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("everysec").start()) {
      assumeTrue(RIGHT.contains(version(redis)));
      try (RedisStore store = aof(redis).open()) {
        assertThat(redis.ask("DBSIZE")).isEqualTo(0L);
        PartitionUser user = new PartitionUser(store, "q");
        for (int i = 0; i < 5; i++) {
          assertThat(user.unconfirmed(scheduling("m" + i, PartitionUser.PAST, 1))).isNull();
        }
      }
    }
  }

  @Test
  void everySecond_serverWithoutWaitAof_refusedWithItsVersion() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("everysec").start()) {
      assumeTrue(!knowsWaitAof(redis));
      assertThatThrownBy(() -> aof(redis).open())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("durability=aof")
          .hasMessageContaining(version(redis))
          .hasMessageContaining("too old for WAITAOF");
    }
  }

  @Test
  void always_confirmed() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start()) {
      assumeTrue(knowsWaitAof(redis));
      try (RedisStore store = aof(redis).open()) {
        assertThat(redis.ask("DBSIZE")).isEqualTo(0L);
        PartitionUser user = new PartitionUser(store, "q");
        assertThat(user.unconfirmed(scheduling("a", PartitionUser.PAST, 1))).isNull();
      }
    }
  }

  @Test
  void always_userMayNotAskForTheConfiguration_refusedWithTheRight() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start()) {
      assumeTrue(knowsWaitAof(redis));
      redis.ask("ACL", "SETUSER", "u", "on", ">p", "~*", "&*", "+@all", "-config");
      String url = "redis://u:p@127.0.0.1:" + redis.port() + "?durability=aof";
      assertThatThrownBy(() -> RedisStore.builder().url(url).open())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("+config|get");
      redis.ask("ACL", "SETUSER", "u", "+config|get");
      RedisStore.builder().url(url).open().close();
    }
  }

  @Test
  void neverForced_refused() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("no").start()) {
      assumeTrue(knowsWaitAof(redis));
      assertThatThrownBy(() -> aof(redis).open())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("appendfsync is 'no'");
    }
  }

  @Test
  void noAppendOnlyFile_refused() {
    try (RedisProcess redis = RedisProcess.start()) {
      assumeTrue(knowsWaitAof(redis));
      assertThatThrownBy(() -> aof(redis).open())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("appendonly is disabled");
    }
  }

  /**
   * Only the calls require the disk, and not the store's options, so the store did not probe the
   * server when it was opened.
   */
  @Test
  void askedForByOneCall_serverConfirmsWhatIsNotOnDisk_storedNotConfirmed() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("everysec").start();
        RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      assumeTrue(FAULTY.contains(version(redis)));
      PartitionUser user = new PartitionUser(store, "q");
      Durability disk = Durability.parse("aof");
      Reply first = user.apply(disk, scheduling("a", PartitionUser.PAST, 1));
      Reply second = user.apply(disk, scheduling("b", PartitionUser.PAST, 1));
      assertThat(PartitionUser.unconfirmed(first)).contains("not on its disk");
      assertThat(PartitionUser.unconfirmed(second)).contains("not on its disk");
    }
  }

  @Test
  void memoryFull_theServerCanBeAskedAllTheSame() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start()) {
      assumeTrue(knowsWaitAof(redis));
      redis.ask("SET", "ballast", "x".repeat(1 << 20));
      redis.ask("CONFIG", "SET", "maxmemory", "1mb");
      aof(redis).open().close();
    }
  }

  @Test
  void cluster_eachPrimaryIsAsked() {
    try (RedisCluster redis =
        RedisCluster.start(3, 0, RedisProcess.builder().appendOnly("always"))) {
      assumeTrue(knowsWaitAof(redis.nodes().get(0)));
      RedisStore.builder().url(redis.url() + "?durability=aof").open().close();
      redis.nodes().get(2).ask("CONFIG", "SET", "appendfsync", "no");
      assertThatThrownBy(
              () -> RedisStore.builder().url(redis.url() + "?durability=aof").open().close())
          .hasMessageContaining("appendfsync is 'no'");
    }
  }

  @Test
  void diskAndReplicas_confirmedByBothOrStoredNotConfirmed() {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start();
        RedisProcess replica =
            RedisProcess.builder().appendOnly("always").replicaOf(redis).start()) {
      assumeTrue(knowsWaitAof(redis));
      try (RedisStore store =
          RedisStore.builder().url(redis.url() + "?durability=aof+replicas:1").open()) {
        PartitionUser user = new PartitionUser(store, "q");
        org.awaitility.Awaitility.await()
            .until(() -> user.unconfirmed(scheduling("a", PartitionUser.PAST, 10)) == null);
        replica.freeze();
        assertThat(user.unconfirmed(scheduling("b", PartitionUser.PAST, 10)))
            .contains("0 of 1 replicas");
        replica.thaw();
      }
    }
  }
}
