package io.punctual.contract;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;

final class MemoryStoreContractTest extends StoreContract {
  private final ManualClock clock = new ManualClock();

  @Override
  protected Store openStore() {
    return MemoryStore.builder().clock(clock).build();
  }

  @Override
  protected StoreClock storeClock(Store store) {
    return StoreClock.of(clock);
  }
}
