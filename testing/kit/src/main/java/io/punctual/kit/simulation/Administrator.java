package io.punctual.kit.simulation;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.kit.history.HistoryEvent;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.InventoryBegan;
import io.punctual.kit.history.HistoryEvent.InventoryEnded;
import io.punctual.kit.history.HistoryEvent.PauseInvoked;
import io.punctual.kit.history.HistoryEvent.ProcessBegan;
import io.punctual.kit.history.HistoryEvent.PurgeInvoked;
import io.punctual.kit.history.HistoryEvent.QueueAnswered;
import io.punctual.kit.history.HistoryEvent.RedriveAllInvoked;
import io.punctual.kit.simulation.Engine.PartitionId;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * An administrator with direct access to the engine, which is the simulated store: pauses, limits,
 * purges and deletes queues, redrives dead letters, and takes the inventory.
 */
final class Administrator {
  private final SimulationRun world;
  private final List<HistoryEvent> events = new ArrayList<>();
  private long lastOp;
  private int sessions;

  Administrator(SimulationRun world) {
    this.world = world;
    events.add(new ProcessBegan(now(), "administrator"));
  }

  private long now() {
    return world.scheduler().nanoTime();
  }

  List<HistoryEvent> events() {
    return events;
  }

  void act(String queue, Chance chance) {
    switch (chance.between(0, 5)) {
      case 0, 1 -> {
        pause(queue, true);
        world.scheduler().schedule(chance.around(500 * Chance.MILLI), () -> pause(queue, false));
      }
      case 2 -> purge(queue, chance.of(List.of(State.values())));
      case 3 -> delete(queue);
      default -> redriveAll(queue);
    }
  }

  void pause(String queue, boolean paused) {
    change(
        op -> new PauseInvoked(now(), op, 0, queue, paused),
        queue,
        id -> join(world.engine().pause(id, paused, PauseNote.NONE)));
  }

  /**
   * Sets random limits of a queue. The limits are so high that all messages can be settled in time.
   */
  void limit(String queue) {
    Chance chance = world.newChance();
    int partitions = world.parameters().partitions();
    QueueLimits limits = QueueLimits.none();
    if (chance.of(0.7)) {
      int burst = chance.between(partitions, 2 * partitions);
      limits = limits.rate(chance.between(4, 60), Duration.ofSeconds(1), burst);
    }
    if (chance.of(0.7)) {
      limits = limits.concurrency(chance.between(partitions, 2 * partitions));
    }
    world.engine().limit(queue, limits);
  }

  private void purge(String queue, State state) {
    change(
        op -> new PurgeInvoked(now(), op, 0, queue, state.name()),
        queue,
        id -> join(world.engine().change(id, partition -> partition.purge(Set.of(state)))));
  }

  /**
   * Deletes a queue. Complains if the engine deletes a queue that holds messages, or refuses to
   * delete an empty queue. Records a resume of the queue, because a deleted queue is no longer
   * paused.
   */
  private void delete(String queue) {
    long stored =
        world.engine().partitions(queue).stream()
            .mapToLong(id -> Stream.of(State.values()).mapToLong(s -> entries(id, s).size()).sum())
            .sum();
    long op = ++lastOp;
    long began = now();
    DeleteQueueOutcome outcome = join(world.engine().delete(queue));
    if ((outcome == DeleteQueueOutcome.NOT_EMPTY) != (stored > 0)) {
      world.complain("deleting " + queue + " with " + stored + " messages: " + outcome);
    }
    if (outcome == DeleteQueueOutcome.DELETED) {
      events.add(new PauseInvoked(began, op, 0, queue, false));
      events.add(new QueueAnswered(now(), op, 0));
    }
  }

  private void redriveAll(String queue) {
    change(op -> new RedriveAllInvoked(now(), op, 0, queue), queue, this::redriveAll);
  }

  private void redriveAll(PartitionId id) {
    List<Operation> redrives = new ArrayList<>();
    for (Entry entry : entries(id, State.DEAD)) {
      redrives.add(new Operation.Redrive(entry.id()));
    }
    String session = "administrator" + sessions++;
    Call call = new Call(session, 1, 1, new Call.Apply(redrives, null));
    join(world.engine().change(id, partition -> partition.openSession(session, null)));
    join(world.engine().change(id, partition -> partition.call(call)));
    join(world.engine().change(id, partition -> partition.closeSession(session)));
  }

  private void change(
      Function<Long, HistoryEvent> invoked, String queue, Consumer<PartitionId> change) {
    long op = ++lastOp;
    events.add(invoked.apply(op));
    world.engine().partitions(queue).forEach(change);
    events.add(new QueueAnswered(now(), op, 0));
  }

  /** Returns a partition's messages in a state. */
  List<Entry> entries(PartitionId id, State state) {
    Partition partition = world.engine().partition(id);
    List<Entry> entries = new ArrayList<>();
    EntryPage page = join(partition.browse(state, null, 1000));
    entries.addAll(page.entries());
    while (page.next() != null) {
      page = join(partition.browse(state, page.next(), 1000));
      entries.addAll(page.entries());
    }
    return entries;
  }

  void takeInventory(String queue) {
    events.add(new InventoryBegan(now(), queue));
    for (PartitionId id : world.engine().partitions(queue)) {
      for (State state : State.values()) {
        for (Entry entry : entries(id, state)) {
          events.add(
              new Found(now(), queue, entry.id(), state, entry.dueMillis(), entry.attempts()));
        }
      }
    }
    events.add(new InventoryEnded(now(), queue));
  }

  private static <T> T join(CompletionStage<T> stage) {
    CompletableFuture<T> done = stage.toCompletableFuture();
    return done.join();
  }
}
