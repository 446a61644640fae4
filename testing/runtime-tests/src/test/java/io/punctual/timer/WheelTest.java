package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the guarantees of {@link TimingWheel} and {@link SlotWheel}. */
final class WheelTest {
  private final List<Integer> handedOver = new ArrayList<>();

  static Stream<Named<LongFunction<WheelUnderTest>>> wheels() {
    return Stream.of(
        Named.of("entries", WheelUnderTest::ofEntries), Named.of("slots", WheelUnderTest::ofSlots));
  }

  @Test
  void schedule_445TicksAhead_movesToTheFineLevelWhenItsTimeIsNear() {
    TimingWheel<WheelUnderTest.Numbered> wheel = new TimingWheel<>(0);
    WheelUnderTest.Numbered entry = new WheelUnderTest.Numbered(445);
    List<WheelEntry> expired = new ArrayList<>();

    // 445 is 6 × 64 + 61, so the entry is in bucket 6 of level 1 while the time is below 384.
    wheel.schedule(entry, 445);
    assertThat(place(wheel, entry)).containsExactly(1, 6);
    assertThat(wheel.nextExpiry()).isEqualTo(445);

    wheel.advance(383, 10, expired::add);
    assertThat(place(wheel, entry)).containsExactly(1, 6);

    // Time reaches that bucket, and its entry cascades into a bucket of level 0.
    wheel.advance(384, 10, expired::add);
    assertThat(place(wheel, entry)).containsExactly(0, 61);

    wheel.advance(444, 10, expired::add);
    assertThat(expired).isEmpty();
    wheel.advance(445, 10, expired::add);
    assertThat(expired).containsExactly(entry);
  }

  @Test
  void schedule_445000TicksAhead_comesDownLevelByLevel() {
    TimingWheel<WheelUnderTest.Numbered> wheel = new TimingWheel<>(0);
    WheelUnderTest.Numbered entry = new WheelUnderTest.Numbered(445_000);
    List<List<Integer>> places = new ArrayList<>();
    List<WheelEntry> expired = new ArrayList<>();

    // 445000 is 1 × 64³ + 44 × 64² + 41 × 64 + 8, so the entry passes bucket 1 of level 3, bucket
    // 44
    // of level 2, bucket 41 of level 1 and bucket 8 of level 0.
    wheel.schedule(entry, 445_000);
    for (long now = 0; expired.isEmpty(); now++) {
      wheel.advance(now, 10, expired::add);
      if (entry.isScheduled() && !places.contains(place(wheel, entry))) {
        places.add(place(wheel, entry));
      }
    }

    assertThat(places)
        .containsExactly(List.of(3, 1), List.of(2, 44), List.of(1, 41), List.of(0, 8));
    assertThat(wheel.time()).isEqualTo(445_000);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void nextExpiry_emptyWheel_isNever(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(7);

    assertThat(wheel.nextExpiry()).isEqualTo(Long.MAX_VALUE);
    assertThat(advance(wheel, Long.MAX_VALUE)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void schedule_centuriesAhead_isHandedOverOnItsTick(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    long due = 300L * 365 * 24 * 3600 * 1_000_000 + 12_345;
    wheel.schedule(1, due);

    assertThat(wheel.nextExpiry()).isEqualTo(due);
    assertThat(advance(wheel, due - 1)).isEmpty();
    assertThat(advance(wheel, due)).containsExactly(1);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void schedule_extremesOfLong_keepTheirOrder(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(Long.MIN_VALUE);
    long[] dues = {
      Long.MAX_VALUE, 1, -1, 0, Long.MIN_VALUE + 1, Long.MAX_VALUE - 1, Long.MIN_VALUE
    };
    IntStream.range(0, dues.length).forEach(number -> wheel.schedule(number, dues[number]));

    assertThat(advance(wheel, Long.MIN_VALUE)).containsExactly(6);
    assertThat(advance(wheel, -1)).containsExactly(6, 4, 2);
    assertThat(advance(wheel, Long.MAX_VALUE - 1)).containsExactly(6, 4, 2, 3, 1, 5);
    assertThat(advance(wheel, Long.MAX_VALUE)).containsExactly(6, 4, 2, 3, 1, 5, 0);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void schedule_sameTickFromNearAndFar_keepsTheOrderOfScheduling(
      LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    wheel.schedule(1, 5_000);
    advance(wheel, 4_090);
    wheel.schedule(2, 5_000);
    advance(wheel, 4_999);
    wheel.schedule(3, 5_000);

    assertThat(advance(wheel, 9_000)).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void schedule_again_movesIt(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    wheel.schedule(1, 10);
    wheel.schedule(1, 1_000);

    assertThat(wheel.size()).isEqualTo(1);
    assertThat(advance(wheel, 999)).isEmpty();
    assertThat(advance(wheel, 1_000)).containsExactly(1);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void cancel_unknownOrTwice_returnsFalse(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    wheel.schedule(1, 10);

    assertThat(wheel.cancel(5_000_000)).isFalse();
    assertThat(wheel.cancel(1)).isTrue();
    assertThat(wheel.cancel(1)).isFalse();
    assertThat(wheel.size()).isZero();
    assertThat(wheel.nextExpiry()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_moreThanTheLimit_goesOnWhereItStopped(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    for (int number = 0; number < 10; number++) {
      wheel.schedule(number, 100 + number / 4);
    }

    assertThat(wheel.advance(200, 3, handedOver::add)).isEqualTo(3);
    assertThat(wheel.nextExpiry()).isLessThanOrEqualTo(200);
    assertThat(wheel.advance(200, 4, handedOver::add)).isEqualTo(4);
    assertThat(wheel.advance(200, 4, handedOver::add)).isEqualTo(3);
    assertThat(handedOver).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(wheel.advance(200, 4, handedOver::add)).isZero();
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_intoACrowdedCoarseBucket_movesABoundedNumberAtOnce(
      LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    int count = 3 * Wheel.CASCADE_LIMIT;
    for (int number = 0; number < count; number++) {
      wheel.schedule(number, 1_000_000 - number % 1_000);
    }
    wheel.schedule(count, 1_100_000);

    long now = 1_000_000;
    int calls = 0;
    while (wheel.nextExpiry() <= now) {
      wheel.advance(now, count, handedOver::add);
      calls++;
      if (calls == 1) {
        wheel.schedule(count + 1, 1_000_000);
        wheel.cancel(0);
      }
    }

    assertThat(calls).isBetween(4, 20);
    assertThat(handedOver).hasSize(count).doesNotContain(0, count).endsWith(count + 1);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_listenerThrows_keepsTheEntryFirstInLine(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    IllegalStateException thrown = new IllegalStateException("of the test");
    for (int number = 1; number <= 4; number++) {
      wheel.schedule(number, 70);
    }

    assertThatThrownBy(
            () ->
                wheel.advance(
                    80,
                    10,
                    number -> {
                      if (number == 2) {
                        throw thrown;
                      }
                      handedOver.add(number);
                    }))
        .isSameAs(thrown);
    assertThat(wheel.size()).isEqualTo(3);
    assertThat(wheel.isScheduled(2)).isTrue();

    assertThat(advance(wheel, 80)).containsExactly(1, 2, 3, 4);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_listenerSchedulesAndThrows_keepsWhatItScheduled(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    wheel.schedule(1, 10);

    assertThatThrownBy(
            () ->
                wheel.advance(
                    10,
                    10,
                    number -> {
                      wheel.schedule(number, 500);
                      throw new IllegalStateException("of the test");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(wheel.size()).isEqualTo(1);
    assertThat(wheel.nextExpiry()).isEqualTo(500);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_listenerCancelsAndSchedules_takesEffectAtOnce(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    wheel.schedule(1, 10);
    wheel.schedule(2, 10);
    wheel.schedule(3, 11);

    int count =
        wheel.advance(
            20,
            5,
            number -> {
              handedOver.add(number);
              wheel.cancel(2);
              wheel.schedule(1, 0);
            });

    assertThat(count).isEqualTo(5);
    assertThat(handedOver).containsExactly(1, 1, 1, 1, 1);
    wheel.cancel(1);
    assertThat(advance(wheel, 20)).endsWith(3).doesNotContain(2);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_byItsListener_isRefused(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    wheel.schedule(1, 10);

    assertThatThrownBy(() -> wheel.advance(10, 1, number -> wheel.advance(10, 1, other -> {})))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("listener");
    assertThat(advance(wheel, 10)).containsExactly(1);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_limitBelowOne_isRefused(LongFunction<WheelUnderTest> form) {
    assertThatThrownBy(() -> form.apply(0).advance(1, 0, handedOver::add))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_clockStepsBack_waitsForTheClock(LongFunction<WheelUnderTest> form) {
    long now = 1_763_700_000_000L;
    WheelUnderTest wheel = form.apply(now);
    wheel.schedule(1, now + 90_000);
    wheel.schedule(2, now + 1);
    wheel.schedule(3, now + 3);
    advance(wheel, now + 2);
    assertThat(handedOver).containsExactly(2);

    long back = now - 3_600_000;
    wheel.schedule(4, back + 10);
    assertThat(advance(wheel, back)).containsExactly(2);
    assertThat(wheel.nextExpiry()).isEqualTo(back + 10);
    assertThat(advance(wheel, back + 10)).containsExactly(2, 4);
    assertThat(advance(wheel, now + 2)).containsExactly(2, 4);
    assertThat(advance(wheel, now + 90_000)).containsExactly(2, 4, 3, 1);
  }

  @ParameterizedTest
  @MethodSource("wheels")
  void advance_clockJumpsYears_costsNothingForEmptyTime(LongFunction<WheelUnderTest> form) {
    WheelUnderTest wheel = form.apply(0);
    long century = 100L * 365 * 24 * 3600 * 1_000_000;
    for (int number = 0; number < 50; number++) {
      wheel.schedule(number, century * number);
    }

    assertThat(advance(wheel, century * 50)).hasSize(50).isSorted();
  }

  private List<Integer> advance(WheelUnderTest wheel, long now) {
    do {
      wheel.advance(now, 1_000, handedOver::add);
    } while (wheel.nextExpiry() <= now && wheel.size() > 0);
    return handedOver;
  }

  private static List<Integer> place(
      TimingWheel<WheelUnderTest.Numbered> wheel, WheelUnderTest.Numbered entry) {
    int bucket = wheel.bucketOf(entry);
    return List.of(bucket >>> 6, bucket & 63);
  }
}
