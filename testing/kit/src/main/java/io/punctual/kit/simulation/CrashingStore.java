package io.punctual.kit.simulation;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.spi.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The memory store as a process sees it. A call has its effect at once, and its reply arrives a
 * millisecond later. The process may die before the effect, or between the effect and the reply.
 * Not thread-safe.
 */
final class CrashingStore implements Store {
  private final RecurringRun world;
  private final RecurringProcess process;
  private final Store store;

  CrashingStore(RecurringRun world, RecurringProcess process) {
    this.world = world;
    this.process = process;
    this.store = world.store();
  }

  @Override
  public String describe() {
    return store.describe();
  }

  @Override
  public Set<Capability> capabilities() {
    return store.capabilities();
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return store
        .partitions(queue)
        .thenApply(all -> all.stream().<Partition>map(CrashingPartition::new).toList());
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return store.queues();
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return store.delete(queue);
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    return process.isDead()
        ? new CompletableFuture<>()
        : store.untilNext(
            partitions.stream().map(each -> ((CrashingPartition) each).partition).toList());
  }

  /**
   * Returns a long interval: hints are never lost here, so rare safety checks suffice and save
   * time.
   */
  @Override
  public Duration safetyCheckInterval(int partitions) {
    return Duration.ofHours(1);
  }

  @Override
  public void close() {}

  private final class CrashingPartition implements Partition {
    private final Partition partition;

    CrashingPartition(Partition partition) {
      this.partition = partition;
    }

    @Override
    public String queue() {
      return partition.queue();
    }

    @Override
    public int index() {
      return partition.index();
    }

    @Override
    public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
      return later(partition.openSession(session, replaces));
    }

    @Override
    public CompletionStage<Reply> call(Call call) {
      if (process.isDead() || process.diesNow()) {
        return new CompletableFuture<>();
      }
      CompletionStage<Reply> reply = partition.call(call);
      judge(call, reply);
      return process.diesNow() ? new CompletableFuture<>() : later(reply);
    }

    private void judge(Call call, CompletionStage<Reply> reply) {
      if (call.body() instanceof Call.Apply apply
          && reply.toCompletableFuture().join() instanceof Reply.Applied applied) {
        for (int i = 0; i < apply.operations().size(); i++) {
          world.judge().executed(apply.operations().get(i), applied.outcomes().get(i), world.now());
        }
      }
    }

    private <V extends @Nullable Object> CompletionStage<V> later(CompletionStage<V> answer) {
      CompletableFuture<V> delayed = new CompletableFuture<>();
      V value = answer.toCompletableFuture().join();
      world.scheduler().schedule(Chance.MILLI, process.process(), () -> delayed.complete(value));
      return delayed;
    }

    @Override
    public CompletionStage<@Nullable Void> closeSession(String session) {
      return partition.closeSession(session);
    }

    @Override
    public CompletionStage<Optional<Entry>> find(String id) {
      return partition.find(id);
    }

    @Override
    public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
      return partition.browse(query, cursor, limit);
    }

    @Override
    public String cursorAfter(EntryQuery query, Entry entry) {
      return partition.cursorAfter(query, entry);
    }

    @Override
    public CompletionStage<PartitionCounts> counts() {
      return partition.counts();
    }

    @Override
    public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
      return partition.forecast(fromMillis, widthMillis, buckets);
    }

    @Override
    public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
      return partition.pause(paused, note);
    }

    @Override
    public CompletionStage<Long> purge(Set<State> states) {
      return partition.purge(states);
    }

    @Override
    public Registration onWakeUp(WakeUp listener) {
      return partition.onWakeUp(
          untilNext ->
              world
                  .scheduler()
                  .schedule(Chance.MILLI, process.process(), () -> listener.wakeUp(untilNext)));
    }
  }
}
