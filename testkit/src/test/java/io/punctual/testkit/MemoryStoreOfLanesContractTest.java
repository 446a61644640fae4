package io.punctual.testkit;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;

/** Several lanes a queue, on the wall clock. */
final class MemoryStoreOfLanesContractTest extends StoreContract {
  @Override
  protected Store openStore() {
    return MemoryStore.builder().lanes(3).build();
  }

  @Override
  protected int manyMessages() {
    return 20_000;
  }
}
