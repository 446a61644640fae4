package io.punctual.journal;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.embedded.Cursor;
import io.punctual.journal.partition.PartitionView;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.WakeUp;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The partition of a queue in a {@link JournalReader}: it answers look-ups and refuses changes.
 * Safe for use by many threads.
 */
record ReaderPartition(JournalReader reader, String queue) implements Partition {
  @Override
  public int index() {
    return 0;
  }

  private <T> CompletionStage<T> look(Function<PartitionView, T> look) {
    return reader.look(snapshot -> look.apply(snapshot.queue(queue)));
  }

  private <T extends @Nullable Object> CompletionStage<T> refused() {
    return CompletableFuture.failedStage(new PartitionException(reader.readOnly(), null));
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
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return CompletableFuture.completedStage(null);
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return look(view -> view.find(id));
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    try {
      Cursor after = Cursor.parse(cursor, query.newestFirst());
      return look(view -> view.browse(query, after, limit));
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return look(PartitionView::counts);
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return look(view -> view.forecast(fromMillis, widthMillis, buckets));
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

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return () -> {};
  }
}
