package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LevelsTest {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  private final Levels levels = new Levels("n", QueueType.QUORUM, 100, DAY_MILLIS);

  @Test
  void ticks_anyDelay_areRoundedUp() {
    assertThat(levels.ticks(-1)).isZero();
    assertThat(levels.ticks(0)).isZero();
    assertThat(levels.ticks(1)).isEqualTo(1);
    assertThat(levels.ticks(100_000_000)).isEqualTo(1);
    assertThat(levels.ticks(100_000_001)).isEqualTo(2);
  }

  @Test
  void count_maxDelay_hasABitForEachPowerOfTwo() {
    assertThat(new Levels("n", QueueType.QUORUM, 100, 1).count()).isEqualTo(1);
    assertThat(new Levels("n", QueueType.QUORUM, 100, 100).count()).isEqualTo(1);
    assertThat(new Levels("n", QueueType.QUORUM, 100, 101).count()).isEqualTo(2);
    assertThat(new Levels("n", QueueType.QUORUM, 100, 366 * DAY_MILLIS).count()).isEqualTo(29);
    assertThat(new Levels("n", QueueType.QUORUM, 1_000, (1L << 32) * 1_000 - 1_000).count())
        .isEqualTo(32);
    assertThatThrownBy(() -> new Levels("n", QueueType.QUORUM, 1_000, (1L << 32) * 1_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("longer grain");
  }

  @Test
  void routes_randomDelays_waitExactlyTheTicksAndReachTheQueue() {
    Random random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      long ticks = 1 + random.nextLong(DAY_MILLIS / 100);
      List<Integer> waits = new ArrayList<>();
      String place = route(Levels.routingKey(ticks, "shop.orders"), levels.entrance(ticks), waits);
      assertThat(waits.stream().mapToLong(level -> 1L << level).sum()).isEqualTo(ticks);
      assertThat(place).isEqualTo("shop.orders");
    }
  }

  /**
   * Follows a message as the broker routes it: adds the levels in which it waits to {@code waits},
   * and returns the queue that it reaches, or "none".
   */
  private String route(String key, String entrance, List<Integer> waits) {
    String exchange = entrance;
    while (!exchange.equals(levels.exit())) {
      int level = Integer.parseInt(exchange.substring(exchange.lastIndexOf('-') + 1));
      boolean waitsHere = matches(Levels.pattern(level, 1), key);
      assertThat(matches(Levels.pattern(level, 0), key)).isNotEqualTo(waitsHere);
      if (waitsHere) {
        waits.add(level);
      }
      exchange = levels.below(level);
    }
    assertThat(matches(Levels.exitPattern("orders"), key)).isFalse();
    assertThat(matches(Levels.exitPattern("shop"), key)).isFalse();
    return matches(Levels.exitPattern("shop.orders"), key) ? "shop.orders" : "none";
  }

  /** Matches as a topic exchange does: a star is a word, and a hash is any number of words. */
  private static boolean matches(String pattern, String key) {
    String regex =
        pattern.replace(".#", "#").replace(".", "\\.").replace("*", "[^.]*").replace("#", ".*");
    return key.matches(regex);
  }

  @Test
  void millis_longerThanMaxDelay_namesTheOption() {
    assertThat(levels.millis(Duration.ofNanos(1))).isEqualTo(1);
    assertThat(levels.millis(Duration.ofDays(1))).isEqualTo(DAY_MILLIS);
    assertThatThrownBy(() -> levels.millis(Duration.ofDays(1).plusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("longer maxDelay");
  }

  @Test
  void arguments_quorumLevel_confirmsBeforeItForgets() {
    assertThat(levels.arguments(3))
        .containsEntry("x-message-ttl", 801L)
        .containsEntry("x-dead-letter-exchange", "n.quorum-100ms.level-02")
        .containsEntry("x-dead-letter-strategy", "at-least-once")
        .containsEntry("x-overflow", "reject-publish");
    assertThat(levels.arguments(0)).containsEntry("x-dead-letter-exchange", "n.quorum-100ms.exit");
  }
}
