package io.punctual.kit.history;

import io.punctual.DeleteQueueOutcome;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Records the claims and settlements of a store's partitions. Safe for use by many threads. */
final class RecordingStore implements Store {
  private final Store store;
  private final Recording recording;

  RecordingStore(Store store, Recording recording) {
    this.store = store;
    this.recording = recording;
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
    return recorded(store.partitions(queue));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue, int wanted) {
    return recorded(store.partitions(queue, wanted));
  }

  private CompletionStage<List<Partition>> recorded(CompletionStage<List<Partition>> found) {
    return found.thenApply(
        partitions ->
            partitions.stream()
                .<Partition>map(partition -> new RecordingPartition(partition, recording))
                .toList());
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return store.queues();
  }

  @Override
  public CompletionStage<List<String>> queues(String prefix, String after, int limit) {
    return store.queues(prefix, after, limit);
  }

  @Override
  public CompletionStage<List<QueueCounts>> counts(List<String> queues) {
    return store.counts(queues);
  }

  @Override
  public CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
    return store.announce(client, text, keep);
  }

  @Override
  public CompletionStage<List<Announcement>> announcements() {
    return store.announcements();
  }

  @Override
  public CompletionStage<List<Announcement>> announcements(List<String> clients) {
    return store.announcements(clients);
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return store.delete(queue);
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    return store.untilNext(
        partitions.stream().map(partition -> ((RecordingPartition) partition).recorded()).toList());
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return store.safetyCheckInterval(partitions);
  }

  @Override
  public void close() {
    store.close();
  }
}
