package io.punctual.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class IdGeneratorTest {
  private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

  private IdGenerator generator(RandomGenerator random) {
    return new IdGenerator(() -> Instant.ofEpochMilli(millis.get()), () -> random);
  }

  @Test
  void next_withinAMillisecond_increases() {
    assertIncreasing(generator(new Random(1)), 1000);
  }

  @Test
  void next_clockStepsBack_stillIncreases() {
    IdGenerator ids = generator(new Random(2));
    List<String> before = Stream.generate(ids::next).limit(3).toList();
    millis.addAndGet(-60_000);
    assertThat(ids.next()).isGreaterThan(before.get(2));
  }

  @Test
  void next_timeMovesOn_increases() {
    // The counters start as high as possible, so that the ids sort correctly only if their time
    // decides.
    IdGenerator ids = generator(() -> -1L);
    String before = ids.next();
    millis.incrementAndGet();
    assertThat(ids.next()).isGreaterThan(before);
  }

  @Test
  void next_twoClientsInTheSameMillisecond_differ() {
    List<String> one = Stream.generate(generator(new Random(3))::next).limit(100).toList();
    List<String> other = Stream.generate(generator(new Random(4))::next).limit(100).toList();
    assertThat(one).doesNotContainAnyElementsOf(other);
    assertThat(one).allSatisfy(id -> assertThat(id).matches("[-0-9A-Z_a-z]{14}"));
  }

  private static void assertIncreasing(IdGenerator ids, int number) {
    List<String> all = Stream.generate(ids::next).limit(number).toList();
    assertThat(all).isSorted().doesNotHaveDuplicates();
  }
}
