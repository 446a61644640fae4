package io.punctual.migration.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the layout of redis-delay-queue, written by the commands that its scripts run. */
final class DelayTableImportTest {
  private static final String TABLE = "{shop}:Redis_Delay_Table";
  private static final String BUCKET = "{shop}:RD_ZSET_BUCKET:";

  private final long due = Instant.now().plus(Duration.ofHours(1)).toEpochMilli();
  private RedisProcess redis;
  private Punctual punctual;
  private TimedQueue<byte[]> queue;

  @BeforeEach
  void open() {
    redis = RedisProcess.start();
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
  }

  @AfterEach
  void close() {
    punctual.close();
    redis.close();
  }

  private void add(String member, long dueMillis) {
    Object unused = redis.ask("HSET", TABLE, member, "{\"content\":\"" + member + "\"}");
    Object unused2 = redis.ask("ZADD", BUCKET, Long.toString(dueMillis), member);
  }

  /** Makes an entry ready, as the script of the library does. */
  private void move(String topic, String member) {
    Object unused = redis.ask("RPUSH", "{shop}:RD_LIST_TOPIC:" + topic, member);
    Object unused2 = redis.ask("ZREM", BUCKET, member);
  }

  @Test
  void run_topicWithReadyEntries_leavesOtherTopicsAndOrphans() {
    add("orders:1", due);
    add("orders:a:b", due + 1);
    add("\"orders:quoted\"", due + 2);
    add("orders:ready", due);
    move("orders", "orders:ready");
    add("mails:1", due);
    Object unused = redis.ask("ZADD", BUCKET, Long.toString(due), "orders:orphan");

    DelayTableImport<byte[]> importer =
        DelayTableImport.from(redis.url(), "shop", "orders").to(queue);
    ImportReport dry = importer.dryRun();
    ImportReport report = importer.run();

    assertThat(dry.found()).isEqualTo(5);
    assertThat(report.scheduled()).isEqualTo(4);
    assertThat(report.left()).isEqualTo(1);
    assertThat(report.details()).containsEntry("other topics", 1L);
    assertThat(queue.find("a:b").orElseThrow().payload())
        .asString()
        .isEqualTo("{\"content\":\"orders:a:b\"}");
    assertThat(queue.find("quoted")).isPresent();
    assertThat(queue.claim(9, Duration.ZERO).stream().map(Delivery::id)).containsExactly("ready");
    assertThat(redis.ask("ZRANGE", BUCKET, "0", "-1"))
        .isEqualTo(List.of("mails:1", "orders:orphan"));
    assertThat(redis.ask("HKEYS", TABLE)).isEqualTo(List.of("mails:1"));
  }

  @Test
  void dryRun_otherTopics_doesNotReadTheirPayloads() {
    for (int i = 0; i < 50; i++) {
      add("mails:" + i, due);
    }
    add("orders:1", due);
    Object unused = redis.ask("CONFIG", "RESETSTAT");

    ImportReport report = DelayTableImport.from(redis.url(), "shop", "orders").to(queue).dryRun();

    assertThat(report.found()).isEqualTo(1);
    assertThat(report.details()).containsEntry("other topics", 50L);
    assertThat(redis.ask("INFO", "commandstats").toString()).contains("cmdstat_hget:calls=1,");
  }

  @Test
  void from_projectThatIsNoHashTag_isRefused() {
    for (String project : List.of("", "{shop}", "shop}")) {
      assertThatThrownBy(() -> DelayTableImport.from(redis.url(), project, "orders"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("project")
          .hasMessageContaining("'" + project + "'");
    }
    assertThatThrownBy(() -> DelayTableImport.from(redis.url(), "shop", ""))
        .hasMessageContaining("topic");
  }
}
