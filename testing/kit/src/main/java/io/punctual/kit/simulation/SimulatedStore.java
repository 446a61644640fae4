package io.punctual.kit.simulation;

import io.punctual.DeleteQueueOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A process's view of the engine through its simulated network. Not thread-safe. */
final class SimulatedStore implements Store {
  private final Engine engine;
  private final Transport transport;
  private final ProtocolJudge judge;
  private final RunParameters parameters;

  SimulatedStore(
      Engine engine, Transport transport, ProtocolJudge judge, RunParameters parameters) {
    this.engine = engine;
    this.transport = transport;
    this.judge = judge;
    this.parameters = parameters;
  }

  @Override
  public String describe() {
    return "simulated:";
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.complementOf(EnumSet.of(Capability.DURABILITY, Capability.TRANSACTIONS));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return transport.request(
        () ->
            CompletableFuture.completedStage(
                engine.partitions(queue).stream()
                    .<Partition>map(
                        id -> new SimulatedPartition(id, parameters, engine, transport, judge))
                    .toList()));
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return transport.request(() -> CompletableFuture.completedStage(List.of()));
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return transport.request(() -> engine.delete(queue));
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    return transport.request(
        () ->
            engine.untilNext(
                partitions.stream()
                    .map(partition -> ((SimulatedPartition) partition).id())
                    .toList()));
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return Duration.ofSeconds(parameters.safetyCheckSeconds());
  }

  /**
   * Does nothing. The client calls this method on a separate thread, and only the thread of the
   * simulation may use the engine.
   */
  @Override
  public void close() {}
}
