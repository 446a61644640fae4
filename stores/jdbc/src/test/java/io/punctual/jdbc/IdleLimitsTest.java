package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** The safety check of queues with a concurrency limit costs few statements. */
final class IdleLimitsTest {
  private static final int QUEUES = 20;

  private static JdbcDataSource h2() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }

  @Test
  void untilNext_leasesAndNoDueMessages_countsNoLeasesOfEachQueue() throws Exception {
    WatchedSource watched = new WatchedSource(h2());
    JdbcStore store = JdbcStore.builder().dataSource(watched.source()).createTables(true).open();
    try (Punctual punctual = Punctual.builder().store(store).build()) {
      List<Partition> partitions = new ArrayList<>();
      for (int i = 0; i < QUEUES; i++) {
        TimedQueue<String> queue = punctual.queue("limited-" + i, Codec.string());
        queue.setLimits(QueueLimits.none().concurrency(2));
        queue.scheduleAll(
            List.of(Message.of("due"), Message.of("later").dueIn(Duration.ofSeconds(30))));
        assertThat(
                queue.claim(
                    1,
                    ClaimOptions.DEFAULT
                        .lease(Duration.ofMinutes(1))
                        .maxWait(Duration.ofMinutes(1))))
            .hasSize(1);
        partitions.addAll(await(store.partitions("limited-" + i)));
      }
      Queue<String> counts = new ConcurrentLinkedQueue<>();
      watched.onStatement =
          sql -> {
            if (sql.startsWith("SELECT count(*)")) {
              counts.add(sql);
            }
          };
      assertThat(await(store.untilNext(partitions))).hasSize(QUEUES);
      assertThat(counts).isEmpty();
    }
  }
}
