package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that shares of the limits move to the partition that has all messages, on a server and on a
 * Cluster. The tests read the time of a claim from its fencing token: while the server's clock does
 * not step back, the token is this time in microseconds.
 */
@Tag("extended")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class LimitSharesTest {
  private static final int PARTITIONS = 8;
  private static final int RATE = 200;
  private static final int BURST = 20;
  private static final int CONCURRENCY = 10;

  private final List<Long> claims = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private int ids;

  /** Schedules messages that all belong to one partition. */
  private void schedule(TimedQueue<String> queue, int partition, int messages) {
    List<Message<String>> all = new ArrayList<>();
    while (all.size() < messages) {
      String id = "m" + ids++;
      if (Partition.indexOf(id, PARTITIONS) == partition) {
        all.add(Message.of("x").id(id));
      }
    }
    queue.scheduleAll(all);
  }

  private TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("shares", Codec.string(), PARTITIONS);
  }

  private static WorkerOptions worker(int concurrency) {
    return WorkerOptions.builder().concurrency(concurrency).build();
  }

  private void handle(long millis) throws InterruptedException {
    int now = running.incrementAndGet();
    most.accumulateAndGet(now, Math::max);
    TimeUnit.MILLISECONDS.sleep(millis);
    running.decrementAndGet();
  }

  private List<Long> copy() {
    synchronized (claims) {
      return claims.stream().sorted().toList();
    }
  }

  private void expectNeverAboveTheRate() {
    List<Long> all = copy();
    for (int from = 0; from < all.size(); from++) {
      for (int to = from; to < all.size(); to++) {
        double seconds = (all.get(to) - all.get(from)) / 1e6;
        assertThat((double) (to - from + 1))
            .as("messages from %d to %d", from, to)
            .isLessThanOrEqualTo(BURST + RATE * seconds + 0.01);
      }
    }
  }

  private void rateFollowsTheMessages(String url) {
    try (Punctual punctual = Punctual.open(url);
        Punctual other = Punctual.open(url)) {
      TimedQueue<String> queue = queue(punctual);
      queue.setLimits(QueueLimits.none().rate(RATE, Duration.ofSeconds(1), BURST));
      for (Punctual each : List.of(punctual, other)) {
        queue(each).work(worker(50), delivery -> claims.add(delivery.fencingToken()));
      }
      for (int partition : new int[] {3, 5}) {
        int before = claims.size();
        schedule(queue, partition, 6 * RATE);
        await().until(() -> claims.size() == before + 6 * RATE);
        List<Long> all = copy();
        double seconds = (all.get(all.size() - 1) - all.get(before)) / 1e6;
        System.out.printf("%d messages of partition %d in %.2f s%n", 6 * RATE, partition, seconds);
        // With an eighth of the rate for each partition, it would take 48 seconds.
        assertThat(seconds).as("seconds for the messages of six seconds").isLessThan(24);
      }
      expectNeverAboveTheRate();
    }
  }

  private void placesFollowTheMessages(String url) {
    try (Punctual punctual = Punctual.open(url);
        Punctual other = Punctual.open(url)) {
      TimedQueue<String> queue = queue(punctual);
      queue.setLimits(QueueLimits.none().concurrency(CONCURRENCY));
      for (Punctual each : List.of(punctual, other)) {
        queue(each).work(worker(CONCURRENCY), delivery -> handle(50));
      }
      for (int partition : new int[] {2, 7}) {
        most.set(0);
        schedule(queue, partition, 600);
        await().until(() -> queue.counts().pending() == 0);
        assertThat(most).as("the most running handlers").hasValue(CONCURRENCY);
      }
    }
  }

  @Test
  void rate_allMessagesInOnePartitionOfAServer_reachesTheLimit() {
    try (RedisProcess redis = RedisProcess.start()) {
      rateFollowsTheMessages(redis.url());
    }
  }

  @Test
  void concurrency_allMessagesInOnePartitionOfAServer_reachesTheLimit() {
    try (RedisProcess redis = RedisProcess.start()) {
      placesFollowTheMessages(redis.url());
    }
  }

  @Test
  void rate_allMessagesInOnePartitionOfACluster_reachesTheLimit() {
    try (RedisCluster redis = RedisCluster.start(3, 0)) {
      rateFollowsTheMessages(redis.url());
    }
  }

  @Test
  void concurrency_allMessagesInOnePartitionOfACluster_reachesTheLimit() {
    try (RedisCluster redis = RedisCluster.start(3, 0)) {
      placesFollowTheMessages(redis.url());
    }
  }

  @Test
  void concurrency_aPrimaryIsFrozen_otherPartitionsShareTheRestAndNeverMore() {
    try (RedisCluster redis = RedisCluster.start(3, 0);
        Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = queue(punctual);
      queue.setLimits(QueueLimits.none().concurrency(2 * PARTITIONS));
      RedisProcess frozen = redis.primaryOf("{punctual:shares:0}:meta");
      int partition = 1;
      while (redis.primaryOf("{punctual:shares:" + partition + "}:meta") == frozen) {
        partition++;
      }
      List<Integer> away = new ArrayList<>();
      for (int index = 0; index < PARTITIONS; index++) {
        if (redis.primaryOf("{punctual:shares:" + index + "}:meta") == frozen) {
          away.add(index);
        }
      }
      int reachable = 2 * (PARTITIONS - away.size());
      queue.work(worker(2 * PARTITIONS), delivery -> handle(50));
      schedule(queue, partition, 1000);
      frozen.freeze();
      try {
        await().atMost(Duration.ofSeconds(30)).until(() -> running.get() >= reachable);
        int held = most.get();
        assertThat(held).isLessThanOrEqualTo(2 * PARTITIONS);
      } finally {
        frozen.thaw();
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> queue.counts().ready() == 0);
      assertThat(most.get()).isLessThanOrEqualTo(2 * PARTITIONS);
    }
  }
}
