package io.punctual.internal.client;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.Transaction;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.WakeUp;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The single partition of a queue whose store is not open yet. A request that needs the store
 * fails: with {@code NotSentException} until the store is open, and then with {@code
 * PartitionCountException}, as if the number of partitions were stale. Thread-safe.
 */
final class LatePartition implements Partition {
  private final String queue;
  private final StoreOpening opening;

  LatePartition(String queue, StoreOpening opening) {
    this.queue = queue;
    this.opening = opening;
  }

  private <R extends @Nullable Object> CompletionStage<R> refused() {
    return opening.store() == null
        ? LateStore.notOpen(opening)
        : CompletableFuture.failedStage(new PartitionCountException(1, null));
  }

  @Override
  public String queue() {
    return queue;
  }

  @Override
  public int index() {
    return 0;
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return refused();
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    return refused();
  }

  @Override
  public List<Outcome> applyIn(Transaction transaction, List<Operation> operations) {
    if (opening.store() == null) {
      throw new NotSentException(opening.why(), null);
    }
    throw new PartitionCountException(1, null);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return CompletableFuture.completedStage(null);
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return refused();
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    return refused();
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return refused();
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return refused();
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return refused();
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return refused();
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return refused();
  }

  /** Registers nothing, because the client's session repeats each claim until the store is open. */
  @Override
  public Registration onWakeUp(WakeUp listener) {
    return () -> {};
  }
}
