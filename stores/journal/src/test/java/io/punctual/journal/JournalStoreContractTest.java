package io.punctual.journal;

import io.punctual.contract.StoreClock;
import io.punctual.contract.StoreContract;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

final class JournalStoreContractTest extends StoreContract {
  @TempDir static Path folder;

  private final ManualClock clock = new ManualClock();
  private final AtomicInteger opened = new AtomicInteger();

  @Override
  protected Store openStore() {
    return JournalStore.builder(folder.resolve("journal" + opened.incrementAndGet()))
        .clock(clock)
        .segmentBytes(1 << 20)
        .open();
  }

  @Override
  protected StoreClock storeClock(Store store) {
    return StoreClock.of(clock);
  }

  /**
   * Returns a smaller number than the default. These messages have the same due time, so each page
   * of a listing reads all their ids from the disk.
   */
  @Override
  protected int manyMessages() {
    return 10_000;
  }
}
