package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares {@link TimingWheel} and {@link SlotWheel} with a sorted list, under random schedules,
 * cancels and clock changes. The name of a run contains its seed; the last run of each kind has a
 * new seed every time.
 */
final class WheelModelTest {
  /** In the small size, each start has a seed. */
  private static final int SEEDS = Boolean.getBoolean("punctual.thorough") ? 24 : 6;

  private static final int NUMBERS = 200;
  private static final int STEPS = 2_000;

  private record Planned(int number, long due, long tick, long order) {}

  private final Map<Integer, Planned> model = new LinkedHashMap<>();
  private long orders;

  static Stream<Arguments> runs() {
    long fresh = ThreadLocalRandom.current().nextLong();
    long[] starts = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 5_000, -5_000, 1_763_700_000_000L};
    return LongStream.concat(LongStream.range(0, SEEDS), LongStream.of(fresh))
        .boxed()
        .flatMap(
            seed -> {
              long start = starts[(int) Math.floorMod(seed, (long) starts.length)];
              return Stream.of(
                  Arguments.of("entries", seed, start), Arguments.of("slots", seed, start));
            });
  }

  @ParameterizedTest(name = "{0}, seed {1}, from {2}")
  @MethodSource("runs")
  void advance_clockThatNeverStepsBack_handsOverInTheListsOrder(
      String form, long seed, long start) {
    Random random = new Random(seed);
    WheelUnderTest wheel = of(form).apply(start);
    boolean cancels = random.nextBoolean();
    long now = start;
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(4)) {
        case 0, 1 -> schedule(wheel, random, now, cancels);
        case 2 -> {
          if (cancels) {
            cancel(wheel, random);
          }
        }
        default -> {
          now = later(random, now, wheel);
          int limit = 1 + random.nextInt(20);
          List<Integer> expected = dueBy(now).stream().limit(limit).map(Planned::number).toList();
          assertThat(advance(wheel, now, limit)).isEqualTo(expected);
        }
      }
      checkAgreement(wheel, cancels);
    }
    drain(wheel, Long.MAX_VALUE);
    assertThat(model).isEmpty();
    assertThat(wheel.nextExpiry()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest(name = "{0}, seed {1}, from {2}")
  @MethodSource("runs")
  void advance_clockThatSteps_handsOverAllThatIsDueAndNothingElse(
      String form, long seed, long start) {
    Random random = new Random(seed);
    WheelUnderTest wheel = of(form).apply(start);
    long now = start;
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> schedule(wheel, random, now, true);
        case 3 -> cancel(wheel, random);
        case 4 -> {
          now = random.nextInt(3) == 0 ? earlier(random, now) : later(random, now, wheel);
          advance(wheel, now, 1 + random.nextInt(5));
        }
        default -> {
          now = random.nextBoolean() ? earlier(random, now) : later(random, now, wheel);
          drain(wheel, now);
        }
      }
      checkAgreement(wheel, true);
    }
    drain(wheel, Long.MAX_VALUE);
    assertThat(model).isEmpty();
  }

  private static LongFunction<WheelUnderTest> of(String form) {
    return form.equals("slots") ? WheelUnderTest::ofSlots : WheelUnderTest::ofEntries;
  }

  private void schedule(WheelUnderTest wheel, Random random, long now, boolean moves) {
    int number = random.nextInt(NUMBERS);
    if (!moves && model.containsKey(number)) {
      return;
    }
    long due = someDue(random, now);
    Planned planned = new Planned(number, due, Math.max(due, wheel.time()), orders++);
    wheel.schedule(number, due);
    model.put(number, planned);
  }

  private void cancel(WheelUnderTest wheel, Random random) {
    int number = random.nextInt(NUMBERS);
    assertThat(wheel.cancel(number)).isEqualTo(model.remove(number) != null);
  }

  private List<Integer> advance(WheelUnderTest wheel, long now, int limit) {
    List<Integer> handedOver = new ArrayList<>();
    int count =
        wheel.advance(
            now,
            limit,
            number -> {
              assertThat(wheel.isScheduled(number)).isFalse();
              Planned planned = model.remove(number);
              assertThat(planned).isNotNull();
              assertThat(wheel.due(number)).isEqualTo(planned.due()).isLessThanOrEqualTo(now);
              handedOver.add(number);
            });
    assertThat(count).isEqualTo(handedOver.size()).isLessThanOrEqualTo(limit);
    return handedOver;
  }

  private void drain(WheelUnderTest wheel, long now) {
    while (!advance(wheel, now, 7).isEmpty()) {
      assertThat(wheel.size()).isEqualTo(model.size());
    }
    assertThat(dueBy(now)).isEmpty();
  }

  private List<Planned> dueBy(long now) {
    return model.values().stream()
        .filter(planned -> planned.due() <= now)
        .sorted(Comparator.comparing(Planned::tick).thenComparing(Planned::order))
        .toList();
  }

  private void checkAgreement(WheelUnderTest wheel, boolean cancels) {
    assertThat(wheel.size()).isEqualTo(model.size());
    long first = model.values().stream().mapToLong(Planned::due).min().orElse(Long.MAX_VALUE);
    assertThat(wheel.nextExpiry()).isLessThanOrEqualTo(Math.max(first, wheel.time()));
    if (!cancels && first > wheel.time()) {
      assertThat(wheel.nextExpiry()).isEqualTo(first);
    }
    for (int number = 0; number < NUMBERS; number++) {
      if (wheel.isScheduled(number) != model.containsKey(number)) {
        throw new AssertionError(number + " is scheduled: " + wheel.isScheduled(number));
      }
    }
  }

  private static long someDue(Random random, long now) {
    return switch (random.nextInt(12)) {
      case 0 -> random.nextLong();
      case 1 -> random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE;
      case 2 -> earlier(random, now);
      case 3, 4, 5 -> plus(now, random.nextInt(5));
      default -> plus(now, someDistance(random));
    };
  }

  private static long later(Random random, long now, WheelUnderTest wheel) {
    return switch (random.nextInt(8)) {
      case 0, 1 -> now;
      case 2, 3 -> Math.max(now, wheel.nextExpiry());
      case 4 -> Math.max(now, wheel.nextExpiry() - 1);
      case 5 -> plus(now, someDistance(random) >>> 20);
      default -> plus(now, random.nextInt(5_000));
    };
  }

  private static long earlier(Random random, long now) {
    long earlier = now - someDistance(random);
    return earlier > now ? Long.MIN_VALUE : earlier;
  }

  /** Returns a random distance; all binary orders of magnitude are equally likely. */
  private static long someDistance(Random random) {
    return random.nextLong() >>> (1 + random.nextInt(63));
  }

  private static long plus(long now, long distance) {
    long sum = now + distance;
    return sum < now ? Long.MAX_VALUE : sum;
  }
}
