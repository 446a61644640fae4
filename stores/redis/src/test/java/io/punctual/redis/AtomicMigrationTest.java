package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests clients while a slot moves to a different node in a single step, with all of its keys.
 * Valkey 9.0 and Redis 8.4, or newer, can move slots in this way.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class AtomicMigrationTest {
  private static final String VALKEY = "migrateslots";
  private static final String REDIS = "migration";
  private static final int MOVES = 17;
  private static final int MESSAGES_A_MOVE = 60;

  private static boolean knows(RedisProcess node, String subcommand) {
    return node.ask("COMMAND", "INFO", "cluster|" + subcommand) instanceof List<?> found
        && !found.isEmpty()
        && found.get(0) != null;
  }

  private static String version(RedisProcess node) {
    return String.valueOf(node.ask("INFO", "server"))
        .lines()
        .filter(line -> line.matches("(redis|valkey)_version:.*"))
        .toList()
        .toString();
  }

  @Test
  void slots_movedAtomicallyUnderLoad_everyMessageIsHandledOnce() {
    try (RedisCluster redis = RedisCluster.start(3, 0)) {
      RedisProcess any = redis.nodes().get(0);
      assumeTrue(
          knows(any, VALKEY) || knows(any, REDIS),
          () -> "No atomic slot migration in " + version(any));
      Map<String, Integer> handled = new ConcurrentHashMap<>();
      AtomicLong latestMillis = new AtomicLong();
      try (Punctual punctual = Punctual.open(redis.url())) {
        TimedQueue<String> queue = punctual.queue("moving", Codec.string(), 2);
        queue.work(
            delivery -> {
              handled.merge(delivery.id(), 1, Integer::sum);
              latestMillis.accumulateAndGet(delivery.lateness().toMillis(), Math::max);
            });
        List<CompletionStage<?>> scheduled = new ArrayList<>();
        for (int move = 0; move < MOVES; move++) {
          for (int i = 0; i < MESSAGES_A_MOVE; i++) {
            String id = "m" + move + "-" + i;
            scheduled.add(
                queue.async().schedule(Message.of("x").id(id).dueIn(Duration.ofMillis(5L * i))));
          }
          move(redis, "{punctual:moving:" + move % 2 + "}:meta");
        }
        scheduled.forEach(each -> each.toCompletableFuture().join());
        Awaitility.await().until(() -> handled.size() == MOVES * MESSAGES_A_MOVE);
        assertThat(queue.counts().pending()).isZero();
        assertThat(handled.values()).containsOnly(1);
        System.out.printf(
            "%s: %d moves, %d messages, latest by %d ms%n",
            version(any), MOVES, handled.size(), latestMillis.get());
      }
    }
  }

  private static void move(RedisCluster redis, String key) {
    RedisProcess from = redis.primaryOf(key);
    RedisProcess to = redis.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
    String slot = Integer.toString(redis.slotOf(key));
    if (knows(from, VALKEY)) {
      String target = String.valueOf(to.ask("CLUSTER", "MYID"));
      from.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target);
    } else {
      to.ask("CLUSTER", "MIGRATION", "IMPORT", slot, slot);
    }
    Awaitility.await().until(() -> redis.primaryOf(key) == to);
  }
}
