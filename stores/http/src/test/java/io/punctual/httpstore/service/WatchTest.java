package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.httpstore.wire.Hint;
import io.punctual.httpstore.wire.Place;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests hints that arrive while a wait of the client ends. */
final class WatchTest {
  private static final Place PLACE = new Place("orders", 0, 1);
  private static final int ROUNDS = 20_000;

  private final Map<Place, Partition> partitions =
      Map.of(
          PLACE,
          MemoryStore.builder().build().partitions("orders").toCompletableFuture().join().get(0));

  /** The threads of a hint and of the client's next wait race, so each round may differ. */
  @Test
  void hint_whileAWaitEnds_isPassedToTheNextWait() throws Exception {
    Watch watch = new Watch(new StoppedTimer(), "sender", false);
    assertThat(watch.listen(1, true, partitions)).isCompleted();
    CyclicBarrier start = new CyclicBarrier(2);
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < ROUNDS; i++) {
        CompletableFuture<List<Hint>> ending = watch.listen(2L * i + 2, false, partitions);
        Future<?> hint =
            other.submit(
                () -> {
                  start.await();
                  watch.found(PLACE, 0);
                  return null;
                });
        start.await();
        boolean unused = ending.complete(List.of());
        CompletableFuture<List<Hint>> next = watch.listen(2L * i + 3, false, partitions);
        hint.get(1, TimeUnit.MINUTES);
        assertThat(!ending.join().isEmpty() || next.isDone()).as("hint of round " + i).isTrue();
        watch.endWait();
      }
    } finally {
      other.shutdownNow();
    }
  }
}
