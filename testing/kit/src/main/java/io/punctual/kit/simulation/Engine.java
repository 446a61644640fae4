package io.punctual.kit.simulation;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.spi.WakeUp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine of the simulation: a memory store that can lose sessions, and can lose its last
 * changes like a fail-over to a replica (a roll-back). In a run with roll-backs, it records every
 * change. To lose the last changes, it repeats the earlier changes on a new store, at their
 * original times. Not thread-safe.
 */
final class Engine {
  private final EngineClock clock;
  private final RunParameters parameters;
  private final ProtocolJudge judge;
  private final LimitsJudge limits;
  private final Map<PartitionId, List<WakeUp>> listeners = new LinkedHashMap<>();
  private final Map<PartitionId, List<String>> sessions = new LinkedHashMap<>();
  private final List<Change> changes = new ArrayList<>();
  private Store store;

  Engine(EngineClock clock, RunParameters parameters, ProtocolJudge judge, LimitsJudge limits) {
    this.clock = clock;
    this.parameters = parameters;
    this.judge = judge;
    this.limits = limits;
    this.store = newStore();
  }

  /**
   * Identifies a partition independently of the {@link Store}, because a roll-back creates a new
   * store.
   */
  record PartitionId(String queue, int index) {}

  private record Change(
      Instant at, PartitionId partition, Function<Partition, CompletionStage<?>> change) {}

  private Store newStore() {
    return MemoryStore.builder().clock(clock).partitions(parameters.partitions()).build();
  }

  EngineClock clock() {
    return clock;
  }

  List<PartitionId> partitions(String queue) {
    List<PartitionId> ids = new ArrayList<>();
    for (int index = 0; index < parameters.partitions(); index++) {
      ids.add(new PartitionId(queue, index));
    }
    return ids;
  }

  /** Returns the partition of the current store, for access without the simulated network. */
  Partition partition(PartitionId id) {
    Partition partition = store.partitions(id.queue).toCompletableFuture().join().get(id.index);
    if (!listeners.containsKey(id)) {
      listeners.put(id, new ArrayList<>());
      listen(id, partition);
    }
    return partition;
  }

  private void listen(PartitionId id, Partition partition) {
    Registration unused =
        partition.onWakeUp(until -> listeners(id).forEach(listener -> listener.wakeUp(until)));
  }

  private List<WakeUp> listeners(PartitionId id) {
    return List.copyOf(listeners.getOrDefault(id, List.of()));
  }

  Registration onWakeUp(PartitionId id, WakeUp listener) {
    Partition unused = partition(id);
    List<WakeUp> all = listeners.computeIfAbsent(id, key -> new ArrayList<>());
    all.add(listener);
    return () -> all.remove(listener);
  }

  CompletionStage<Reply> call(PartitionId id, Call call) {
    long leased = leased(id.queue());
    return change(id, partition -> partition.call(call))
        .whenComplete(
            (reply, failure) -> {
              boolean isNew = judge.answered(id, call, reply);
              if (isNew
                  && reply instanceof Reply.Claimed claimed
                  && !claimed.messages().isEmpty()) {
                limits.claimed(id, claimed.messages().size(), leased, leased(id.queue()), clock);
              }
            });
  }

  private long leased(String queue) {
    return partitions(queue).stream()
        .mapToLong(id -> partition(id).counts().toCompletableFuture().join().leased())
        .sum();
  }

  void limit(String queue, QueueLimits newLimits) {
    partitions(queue)
        .forEach(id -> change(id, each -> each.limits(newLimits)).toCompletableFuture().join());
    limits.changed(queue, newLimits, leased(queue));
  }

  CompletionStage<@Nullable Void> openSession(
      PartitionId id, String session, @Nullable String replaces) {
    sessions.computeIfAbsent(id, key -> new ArrayList<>()).add(session);
    judge.opened(id, session, replaces);
    return change(id, partition -> partition.openSession(session, replaces));
  }

  CompletionStage<@Nullable Void> closeSession(PartitionId id, String session) {
    judge.forgotten(id, session);
    return change(id, partition -> partition.closeSession(session));
  }

  CompletionStage<@Nullable Void> pause(PartitionId id, boolean paused, PauseNote note) {
    return change(id, partition -> partition.pause(paused, note));
  }

  /** Deletes a queue if it has no messages. The deletion ends all sessions of the queue. */
  CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return change(new PartitionId(queue, 0), first -> store.delete(queue))
        .thenApply(
            outcome -> {
              if (outcome == DeleteQueueOutcome.DELETED) {
                partitions(queue).forEach(this::forgetSessions);
                limits.deleted(queue);
              }
              return outcome;
            });
  }

  private void forgetSessions(PartitionId id) {
    sessions.getOrDefault(id, List.of()).forEach(session -> judge.forgotten(id, session));
  }

  <T> CompletionStage<T> change(PartitionId id, Function<Partition, CompletionStage<T>> change) {
    if (parameters.rollbacks() > 0) {
      changes.add(new Change(clock.instant(), id, change::apply));
    }
    return change.apply(partition(id));
  }

  CompletionStage<long[]> untilNext(List<PartitionId> ids) {
    return store.untilNext(ids.stream().map(this::partition).toList());
  }

  /** Returns whether a message of the partition can be claimed now. */
  boolean isClaimable(PartitionId id) {
    return untilNext(List.of(id)).toCompletableFuture().join()[0] == 0;
  }

  /** Forgets a random recent session of a partition. */
  void loseSession(PartitionId id, Chance chance) {
    List<String> known = sessions.getOrDefault(id, List.of());
    if (!known.isEmpty()) {
      int newest = Math.max(0, known.size() - parameters.clients());
      closeSession(id, known.get(chance.between(newest, known.size() - 1)));
    }
  }

  /** Undoes the last {@code lost} changes. */
  void rollBack(int lost) {
    List<Change> kept = List.copyOf(changes.subList(0, Math.max(0, changes.size() - lost)));
    store = newStore();
    changes.clear();
    changes.addAll(kept);
    for (Change change : kept) {
      clock.replay(change.at);
      Partition partition =
          store
              .partitions(change.partition.queue)
              .toCompletableFuture()
              .join()
              .get(change.partition.index);
      CompletionStage<?> unused = change.change.apply(partition);
    }
    clock.replay(null);
    listeners.keySet().forEach(id -> listen(id, partition(id)));
    judge.rolledBack();
    limits.rolledBack();
  }
}
