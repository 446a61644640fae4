package io.punctual.contract;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;

/** Runs the contract on memory stores with several partitions for each queue, on the wall clock. */
final class MemoryStoreOfPartitionsContractTest extends StoreContract {
  @Override
  protected Store openStore() {
    return MemoryStore.builder().partitions(3).build();
  }

  @Override
  protected int manyMessages() {
    return 20_000;
  }
}
