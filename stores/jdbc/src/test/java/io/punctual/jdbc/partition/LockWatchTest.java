package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the watch of locked messages, on a clock that the test sets. */
final class LockWatchTest {
  private static final int READINGS = 3;
  private static final long PATIENCE_MILLIS = 250;
  private static final List<String> IDS = List.of("hot", "held");

  private long nanos = Long.MAX_VALUE;
  private final LockWatch watch =
      new LockWatch(READINGS, TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS), () -> nanos);

  private void readAfter(long millis, String hot, String held) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    watch.read(IDS, Map.of("hot", hot, "held", held));
  }

  @Test
  void isHeld_unchangedForLongEnough_onlyThatMessage() {
    readAfter(0, "1", "1");
    readAfter(125, "2", "1");
    assertThat(watch.isRipe()).isFalse();
    readAfter(125, "3", "1");
    assertThat(watch.isRipe()).isTrue();
    assertThat(watch.isHeld("held")).isTrue();
    assertThat(watch.hasChanged("held")).isFalse();
    assertThat(watch.isHeld("hot")).isFalse();
    assertThat(watch.hasChanged("hot")).isTrue();
  }

  @Test
  void isHeld_changedOnceAndThenNoMore_countsFromTheChange() {
    readAfter(0, "1", "1");
    readAfter(10_000, "2", "1");
    readAfter(PATIENCE_MILLIS - 1, "2", "1");
    readAfter(0, "2", "1");
    assertThat(watch.isHeld("hot")).isFalse();
    readAfter(1, "2", "1");
    assertThat(watch.isHeld("hot")).isTrue();
  }

  /** A process that pauses between two readings has not tried to get the lock meanwhile. */
  @Test
  void isHeld_fewReadingsInALongTime_isNotCertain() {
    readAfter(0, "1", "1");
    readAfter(10_000, "1", "1");
    assertThat(watch.isRipe()).isTrue();
    assertThat(watch.isHeld("held")).isFalse();
    readAfter(1, "1", "1");
    assertThat(watch.isHeld("held")).isTrue();
  }

  /** The transaction that inserted the message has not committed. */
  @Test
  void isHeld_absentMessage_isUnchangedUntilItAppears() {
    for (int i = 0; i < READINGS; i++) {
      watch.read(IDS, Map.of("hot", "1"));
      nanos += TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
    }
    assertThat(watch.isHeld("held")).isTrue();
    readAfter(0, "1", "1");
    assertThat(watch.isHeld("held")).isFalse();
  }

  @Test
  void restart_forgetsTheReadings() {
    readAfter(0, "1", "1");
    readAfter(PATIENCE_MILLIS, "1", "1");
    readAfter(PATIENCE_MILLIS, "1", "1");
    watch.restart();
    assertThat(watch.isRipe()).isFalse();
    assertThat(watch.isHeld("held")).isFalse();
    assertThat(watch.hasChanged("held")).isFalse();
  }
}
