package io.punctual.contract;

import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Reads a store's clock from the replies of a session on a separate queue. */
final class ObservedTime implements EngineTime {
  private final Partition partition;

  ObservedTime(Store store) {
    this.partition = StoreResults.await(store.partitions("contract-clock")).get(0);
  }

  @Override
  public void advance(Duration span) {
    TestSession session = TestSession.open(partition);
    long target = session.nowMicros() + TimeUnit.NANOSECONDS.toMicros(span.toNanos());
    for (long now = session.nowMicros(); now < target; now = session.nowMicros()) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(target - now));
    }
    session.close();
  }
}
