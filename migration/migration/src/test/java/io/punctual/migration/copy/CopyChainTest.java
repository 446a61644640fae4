package io.punctual.migration.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Entry;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies a queue from store to store. The last copy must be equal to the first queue. The system
 * property {@code punctual.copy.messages} sets the number of messages; by default a few thousand.
 */
class CopyChainTest {
  private static final Logger log = LoggerFactory.getLogger(CopyChainTest.class);
  private static final int MESSAGES = Integer.getInteger("punctual.copy.messages", 3_000);
  private static final int LARGEST = MESSAGES > 10_000 ? 2_000 : 1 << 20;
  private static final String QUEUE = "orders";

  /** Whether the test itself compares all messages, for which it needs them all in memory. */
  private static final boolean COMPARES = MESSAGES <= 10_000;

  private final WheelTimer timer = WheelTimer.create();

  @TempDir private Path folder;

  @AfterEach
  void closeTimer() {
    timer.close();
  }

  private Store open(String url) {
    return Stores.open(StoreUrl.parse(url), timer);
  }

  private String journal(String name) {
    return "journal:" + folder.resolve(name);
  }

  private static CopiedQueue copy(Store source, Store target) {
    long beganNanos = System.nanoTime();
    List<CopiedQueue> copied =
        StoreCopy.between(source, target)
            .queues(List.of(QUEUE))
            .sourceQueues(SourceQueues.AS_THEY_ARE)
            .leasedMessages(LeasedMessages.COPY)
            .run();
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    log.info("{} to {}: {} in {} ms", source.describe(), target.describe(), copied, millis);
    assertThat(copied).singleElement().matches(CopiedQueue::isEqual);
    return copied.get(0);
  }

  @Test
  @Tag("extended")
  void copy_journalToRedisToPostgresToJournal_isEqual() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      Map<String, Entry> original = Map.of();
      try (Store first = open(journal("first"));
          Store inRedis = open(redis.url());
          Store inPostgres = open(PostgresServer.shared().jdbcUrl() + "&createTables=true");
          Store last = open(journal("last"))) {
        Samples.fill(first, QUEUE, MESSAGES, LARGEST, 7);
        Samples.remember(first, QUEUE, MESSAGES / 10, System.currentTimeMillis());
        first.partitions(QUEUE).toCompletableFuture().join().get(0).pause(true);
        if (COMPARES) {
          original = Samples.all(first, QUEUE);
        }
        for (CopiedQueue copied :
            List.of(copy(first, inRedis), copy(inRedis, inPostgres), copy(inPostgres, last))) {
          assertThat(copied.messages()).isEqualTo(MESSAGES);
          assertThat(copied.remembered()).isEqualTo(MESSAGES / 10);
          assertThat(copied.stored()).isEqualTo(MESSAGES + MESSAGES / 10);
          assertThat(copied.paused()).isTrue();
        }
      }
      try (Store reopened = open(journal("last"))) {
        if (COMPARES) {
          Samples.expectSame(Samples.all(reopened, QUEUE), original);
        }
      }
    }
  }

  @Test
  void copy_queueOfAClientThroughAllStores_isEqual() {
    try (RedisProcess redis = RedisProcess.start();
        Store memory = MemoryStore.builder().build();
        Store inRedis = open(redis.url());
        Store journal = open(journal("of-a-client"));
        Store h2 = open("jdbc:h2:mem:copies;DB_CLOSE_DELAY=-1?createTables=true");
        Store again = MemoryStore.builder().build()) {
      Samples.use(inRedis, QUEUE, 50, Duration.ofMinutes(10));
      Samples.remember(inRedis, QUEUE, 10, System.currentTimeMillis());
      Map<String, Entry> original = Samples.all(inRedis, QUEUE);
      assertThat(original).hasSize(210);
      assertThat(original.values())
          .extracting(Entry::state)
          .contains(State.READY, State.SCHEDULED, State.LEASED, State.DEAD, State.FINISHED);
      copy(inRedis, memory);
      copy(memory, journal);
      copy(journal, h2);
      copy(h2, again);
      Map<String, Entry> end = Samples.all(again, QUEUE);
      assertThat(end.values()).extracting(Entry::state).doesNotContain(State.LEASED);
      Samples.expectSame(end, original);
    }
  }
}
