package io.punctual.testkit.history;

import io.punctual.spi.Capability;
import io.punctual.spi.Lane;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A store whose lanes are recorded. Safe for use by many threads. */
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
  public CompletionStage<List<Lane>> lanes(String queue) {
    return recorded(store.lanes(queue));
  }

  @Override
  public CompletionStage<List<Lane>> lanes(String queue, int wanted) {
    return recorded(store.lanes(queue, wanted));
  }

  private CompletionStage<List<Lane>> recorded(CompletionStage<List<Lane>> found) {
    return found.thenApply(
        lanes -> lanes.stream().<Lane>map(lane -> new RecordingLane(lane, recording)).toList());
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return store.queues();
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Lane> lanes) {
    return store.untilNext(lanes.stream().map(lane -> ((RecordingLane) lane).recorded()).toList());
  }

  @Override
  public Duration safetyCheckInterval() {
    return store.safetyCheckInterval();
  }

  @Override
  public void close() {
    store.close();
  }
}
