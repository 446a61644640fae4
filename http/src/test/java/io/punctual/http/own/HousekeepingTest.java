package io.punctual.http.own;

import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.http.queue.Queues;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class HousekeepingTest {
  @Test
  void aWorkerThatFailsToStart_isStartedAgain() {
    ManualClock clock = new ManualClock();
    AtomicInteger starts = new AtomicInteger();
    try (Punctual punctual =
            Punctual.builder()
                .store(MemoryStore.builder().clock(clock).build())
                .timer(clock)
                .build();
        Housekeeping housekeeping = new Housekeeping(new Queues(punctual), clock)) {
      housekeeping.start(
          "q",
          queue -> {
            if (starts.incrementAndGet() < 3) {
              throw new LinkageError("no thread");
            }
            return queue.workStages(delivery -> CompletableFuture.completedFuture(null));
          });
      await()
          .until(
              () -> {
                clock.advance(Duration.ofMinutes(1));
                return starts.get() == 3;
              });
    }
  }
}
