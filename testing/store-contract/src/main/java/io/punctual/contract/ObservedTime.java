package io.punctual.contract;

import io.punctual.DeleteQueueOutcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until the clock of a store has advanced. Reads the clock from the replies of a session on a
 * separate queue.
 */
final class ObservedTime implements StoreClock {
  private final Store store;

  ObservedTime(Store store) {
    this.store = store;
  }

  @Override
  public void advance(Duration span) {
    String queue = "contract-" + TestSession.newId();
    Partition partition = StoreResults.await(store.partitions(queue)).get(0);
    TestSession session = TestSession.open(partition);
    long target = session.nowMicros() + TimeUnit.NANOSECONDS.toMicros(span.toNanos());
    for (long now = session.nowMicros(); now < target; now = session.nowMicros()) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(target - now));
    }
    session.close();
    DeleteQueueOutcome unused = StoreResults.await(store.delete(queue));
  }
}
