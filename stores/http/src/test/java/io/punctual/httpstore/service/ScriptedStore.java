package io.punctual.httpstore.service;

import io.punctual.DeleteQueueOutcome;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A memory store some of whose answers a test replaces. */
class ScriptedStore implements Store {
  final MemoryStore memory = MemoryStore.builder().build();

  @Override
  public String describe() {
    return "scripted:";
  }

  @Override
  public Set<Capability> capabilities() {
    return memory.capabilities();
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return memory.partitions(queue);
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return memory.queues();
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return memory.delete(queue);
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    return memory.untilNext(partitions);
  }

  @Override
  public CompletionStage<Void> ping() {
    return memory.ping();
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return memory.safetyCheckInterval(partitions);
  }

  @Override
  public void close() {
    memory.close();
  }
}
