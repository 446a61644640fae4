package io.punctual.kit.history;

import io.punctual.MessageQuery;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import io.punctual.event.EventObserver;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.InventoryBegan;
import io.punctual.kit.history.HistoryEvent.InventoryEnded;
import io.punctual.kit.history.HistoryEvent.LeaseLostSeen;
import io.punctual.kit.history.HistoryEvent.ProcessBegan;
import io.punctual.kit.history.HistoryEvent.StoreTroubleSeen;
import io.punctual.spi.Store;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the actions of a {@link io.punctual.Punctual} client for a {@link History}. It wraps the
 * client's store and the user's queues:
 *
 * <pre>{@code
 * try (Recording recording = Recording.to(Path.of("worker-1.history"), "worker-1")) {
 *   Store store = recording.store(new RedisStore(...));       // claims and settlements
 *   ... make a Punctual over the store, with recording.observer() ...
 *   TimedQueue<String> queue = recording.queue(punctual.queue("orders", Codec.string()));
 *   queue.work(handler);                                      // changes and deliveries
 * }
 * }</pre>
 *
 * <p>Both wrappers are needed: only the store knows engine times and fencing tokens, and only the
 * user's calls show the requested changes. Every process, and every client within a process, has
 * its own recording. The queues must be empty when a run begins. Safe for use by many threads.
 */
public final class Recording implements AutoCloseable {
  private final LongSupplier nanoTime;
  private final Consumer<HistoryEvent> sink;
  private final AtomicLong lastOp = new AtomicLong();

  /**
   * Creates a recording that passes events on immediately.
   *
   * @param process the name of the process, unique in the run
   * @param nanoTime a monotonic clock that all processes of the run share
   * @param sink receives the events; safe for use by many threads
   */
  public Recording(String process, LongSupplier nanoTime, Consumer<HistoryEvent> sink) {
    this.nanoTime = nanoTime;
    this.sink = sink;
    sink.accept(new ProcessBegan(now(), process));
  }

  /**
   * Returns a recording that appends each event as a line to a file. Times are {@link
   * System#nanoTime()}, which all processes of a machine share on Linux, macOS and Windows.
   */
  public static Recording to(Path file, String process) {
    return new Recording(process, System::nanoTime, new HistoryFile(file));
  }

  /** Returns a store that records the claims and settlements of {@code store}. */
  public Store store(Store store) {
    return new RecordingStore(store, this);
  }

  /**
   * Returns a queue that records the changes and deliveries of {@code queue}, except changes inside
   * a transaction, changes of limits, and messages that are taken.
   */
  public <T> TimedQueue<T> queue(TimedQueue<T> queue) {
    return new RecordingQueue<>(queue, this);
  }

  /** Returns a listener that records lost leases and failures of the store. */
  public EventObserver observer() {
    return event -> {
      if (event instanceof Event.LeaseLost lost) {
        record(new LeaseLostSeen(now(), lost.queue(), lost.id(), lost.attempt()));
      } else if (event instanceof Event.StoreTrouble trouble) {
        record(new StoreTroubleSeen(now(), trouble.queue(), trouble.failure().toString()));
      }
    };
  }

  /**
   * Records all messages of a queue. To be called at the end of a run, while no other action runs.
   * A confirmed message has been lost if the inventory does not find it and no recorded action may
   * have removed it.
   */
  public void inventory(TimedQueue<?> queue) {
    record(new InventoryBegan(now(), queue.name()));
    for (State state : State.values()) {
      inventory(queue, state);
    }
    record(new InventoryEnded(now(), queue.name()));
  }

  private <T> void inventory(TimedQueue<T> queue, State state) {
    queue.stream(MessageQuery.of(state).limit(1000))
        .forEach(
            message ->
                record(
                    new Found(
                        now(),
                        queue.name(),
                        message.id(),
                        message.state(),
                        message.dueAt().toEpochMilli(),
                        message.attempts())));
  }

  /** Closes the file of the recording, if it has one. */
  @Override
  public void close() {
    if (sink instanceof HistoryFile file) {
      file.close();
    }
  }

  long now() {
    return nanoTime.getAsLong();
  }

  long nextOp() {
    return lastOp.incrementAndGet();
  }

  void record(HistoryEvent event) {
    sink.accept(event);
  }

  void failed(long op, Doubt doubt, @Nullable String id, Throwable why) {
    record(new Failed(now(), op, doubt, id, why.toString()));
  }
}
