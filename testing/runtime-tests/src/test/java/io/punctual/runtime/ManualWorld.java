package io.punctual.runtime;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A client on a memory store with a manual clock. */
final class ManualWorld implements AutoCloseable {
  final ManualClock clock = new ManualClock();
  final MemoryStore store;
  final Queue<Event> events = new ConcurrentLinkedQueue<>();
  final Punctual punctual;
  final TimedQueue<String> queue;

  ManualWorld() {
    this(1);
  }

  ManualWorld(int partitions) {
    store = MemoryStore.builder().clock(clock).partitions(partitions).build();
    punctual = client();
    queue = punctual.queue("orders", Codec.string());
  }

  /** Opens a client on this store, as a separate process would. */
  Punctual client() {
    return Punctual.builder().store(store).timer(clock).observer(events::add).build();
  }

  /**
   * Returns options for handlers that run on the thread of the test: within a call to the queue, or
   * while the clock moves.
   */
  static WorkerOptions.Builder inline() {
    return WorkerOptions.builder().executor(Runnable::run);
  }

  void advance(Duration time) {
    clock.advance(time);
  }

  <E extends Event> List<E> events(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void close() {
    punctual.close(Duration.ZERO);
  }
}
