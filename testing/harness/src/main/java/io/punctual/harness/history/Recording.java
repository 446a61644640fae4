package io.punctual.harness.history;

import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import io.punctual.event.EventObserver;
import io.punctual.harness.history.HistoryEvent.Doubt;
import io.punctual.harness.history.HistoryEvent.Failed;
import io.punctual.harness.history.HistoryEvent.Found;
import io.punctual.harness.history.HistoryEvent.InventoryBegan;
import io.punctual.harness.history.HistoryEvent.InventoryEnded;
import io.punctual.harness.history.HistoryEvent.LeaseLostSeen;
import io.punctual.harness.history.HistoryEvent.ProcessBegan;
import io.punctual.harness.history.HistoryEvent.StoreTroubleSeen;
import io.punctual.spi.Store;
import java.nio.file.Path;
import java.util.Optional;
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
 *   queue.work(handler);                                      // changes, and what handlers get
 * }
 * }</pre>
 *
 * <p>Both wrappers are needed: only the store knows engine times and fencing tokens, and only the
 * user's calls show the requested changes. Every process, and every client within a process, has
 * its own recording; queues must be empty at the begin of a run. Safe for use by many threads.
 */
public final class Recording implements AutoCloseable {
  private final LongSupplier nanoTime;
  private final Consumer<HistoryEvent> sink;
  private final AtomicLong lastOp = new AtomicLong();

  /**
   * Creates a recording that passes events on immediately.
   *
   * @param process its name, unique in the run
   * @param nanoTime a monotonic clock that all processes of the run share
   * @param sink receives the events; safe for use by many threads
   */
  public Recording(String process, LongSupplier nanoTime, Consumer<HistoryEvent> sink) {
    this.nanoTime = nanoTime;
    this.sink = sink;
    sink.accept(new ProcessBegan(now(), process));
  }

  /**
   * Returns a recording that appends to a file, with a line for each event. Times are {@link
   * System#nanoTime()}, which the processes of a machine share on Linux, macOS and Windows.
   */
  public static Recording to(Path file, String process) {
    return new Recording(process, System::nanoTime, new HistoryFile(file));
  }

  /** Returns the store with claims and settlements recorded. */
  public Store store(Store store) {
    return new RecordingStore(store, this);
  }

  /** Returns the queue with its changes and deliveries recorded. */
  public <T> TimedQueue<T> queue(TimedQueue<T> queue) {
    return new RecordingQueue<>(queue, this);
  }

  /** Returns a listener that records lost leases, and trouble with the store. */
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
   * Records all messages of a queue. Call it at the end of a run, while no other action runs: a
   * confirmed message that was not settled and is not found has been lost.
   */
  public void inventory(TimedQueue<?> queue) {
    record(new InventoryBegan(now(), queue.name()));
    for (State state : State.values()) {
      inventory(queue, state);
    }
    record(new InventoryEnded(now(), queue.name()));
  }

  private <T> void inventory(TimedQueue<T> queue, State state) {
    Optional<String> cursor = Optional.empty();
    do {
      Page<StoredMessage<T>> page = queue.browse(state, cursor, 1000);
      for (StoredMessage<T> message : page.items()) {
        record(
            new Found(
                now(),
                queue.name(),
                message.id(),
                message.state(),
                message.dueAt().toEpochMilli(),
                message.attempts()));
      }
      cursor = page.next();
    } while (cursor.isPresent());
  }

  /** Ends the recording. */
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
