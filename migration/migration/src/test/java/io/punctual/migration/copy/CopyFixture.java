package io.punctual.migration.copy;

import io.punctual.memory.MemoryStore;
import io.punctual.migration.copy.CopyProgress.Step;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.util.EnumSet;
import java.util.Set;

/** Two stores in memory, and a copy between them. */
abstract class CopyFixture {
  static final String QUEUE = "orders";

  final ManualClock clock = new ManualClock();
  final Store source = MemoryStore.builder().clock(clock).build();
  final Store target = MemoryStore.builder().clock(clock).build();
  final Set<Step> steps = EnumSet.noneOf(Step.class);

  StoreCopy copy() {
    return StoreCopy.between(source, target)
        .sourceQueues(SourceQueues.AS_THEY_ARE)
        .onProgress(progress -> steps.add(progress.step()));
  }

  static Partition partition(Store store) {
    return store.partitions(QUEUE).toCompletableFuture().join().get(0);
  }

  boolean isPaused(Store store) {
    return partition(store).counts().toCompletableFuture().join().paused();
  }
}
