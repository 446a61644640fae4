package io.punctual.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.TimedQueue;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two clients with equal sources of random numbers and equal clocks, as two processes have that
 * were restored from one image: their sessions and their generated ids begin equal.
 */
class ClonedClientTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryStore store = MemoryStore.builder().clock(clock).build();
  private final Client one = client();
  private final Client other = client();

  private Client client() {
    return new Client(
        store, TestEnvironment.of(clock, clock, Duration.ofMinutes(1)), Map.of(), () -> {});
  }

  @AfterEach
  void close() {
    one.close(Duration.ZERO);
    other.close(Duration.ZERO);
    store.close();
  }

  @Test
  void schedule_withGeneratedIdsByClones_storesEachMessage() {
    TimedQueue<String> mine = one.queue("a", Codec.string(), OptionalInt.empty());
    TimedQueue<String> theirs = other.queue("a", Codec.string(), OptionalInt.empty());
    Set<String> ids = new TreeSet<>();
    for (int i = 0; i < 20; i++) {
      ids.add(mine.schedule(Message.of("mine").dueIn(Duration.ofHours(1))).id());
      ids.add(theirs.schedule(Message.of("theirs").dueIn(Duration.ofHours(1))).id());
    }

    assertThat(ids).hasSize(40);
    assertThat(mine.counts().scheduled()).isEqualTo(40);
  }
}
