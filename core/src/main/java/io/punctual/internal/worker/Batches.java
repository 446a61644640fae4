package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.handler.Handlers;
import io.punctual.internal.runtime.Environment;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Forms the batches of a worker from the messages of its claims. Each batch needs a permit. A batch
 * that is not full waits for messages of later claims until its linger ends. In the meantime, a
 * claim that finds no permit may claim as many messages as the batch has room for. Thread-safe. No
 * handler and no claimer is called under the lock.
 */
final class Batches {
  private static final List<List<ClaimedMessage>> NONE = List.of();

  private final Environment env;
  private final ClaimThrottle throttle;
  private final int size;
  private final long lingerNanos;
  private final Handlers<?> handlers;
  private final Runnable hasRoom;
  private final ReentrantLock lock = new ReentrantLock();

  /** The messages of the waiting batch; empty if no batch waits. */
  @GuardedBy("lock") private List<ClaimedMessage> waiting = new ArrayList<>();

  /** The room in the waiting batch that is reserved for claims in flight without permits. */
  @GuardedBy("lock") private int reserved;

  @GuardedBy("lock") private long endNanos;

  @GuardedBy("lock") private @Nullable Timeout end;

  @GuardedBy("lock") private boolean paused;

  @GuardedBy("lock") private boolean closed;

  /**
   * Creates the batches of a worker.
   *
   * @param hasRoom runs when a waiting batch has room, so that the worker claims messages for it
   */
  Batches(
      Environment env,
      ClaimThrottle throttle,
      int size,
      Duration linger,
      Handlers<?> handlers,
      Runnable hasRoom) {
    this.env = env;
    this.throttle = throttle;
    this.size = size;
    this.lingerNanos = linger.toNanos();
    this.handlers = handlers;
    this.hasRoom = hasRoom;
  }

  /**
   * Adds messages, together with permits.
   *
   * @param refused receives the messages for which there are no permits, and all messages while the
   *     batches are paused or closed
   * @param added receives the number of messages that were added, before the room that this makes
   *     is used: an error of a later step must not let the caller add the messages again
   */
  void add(
      List<ClaimedMessage> messages,
      int permits,
      Consumer<ClaimedMessage> refused,
      IntConsumer added) {
    List<List<ClaimedMessage>> ready = NONE;
    int accepted = 0;
    int left = permits;
    boolean waits = false;
    try {
      lock.lock();
      try {
        boolean stopped = paused || closed;
        left = permits + (waiting.isEmpty() ? 0 : 1);
        int needed = stopped ? 0 : (waiting.size() + messages.size() + size - 1) / size;
        // A slow claim may have lost its permits to other claims, so the batches may need further
        // permits.
        left += throttle.takeFree(needed - left);
        int room = stopped ? 0 : left * size - waiting.size();
        accepted = Math.min(messages.size(), room);
        try {
          ready = form(messages.subList(0, accepted));
        } catch (Throwable e) {
          // These messages come back at the end of their leases.
          waiting.clear();
          if (end != null) {
            end.cancel();
            end = null;
          }
          throw e;
        }
        waits = !waiting.isEmpty();
        left -= ready.size() + (waits ? 1 : 0);
      } finally {
        lock.unlock();
      }
      for (int i = 0; i < ready.size(); i++) {
        handlers.execute(ready.get(i));
      }
      for (int i = accepted; i < messages.size(); i++) {
        refused.accept(messages.get(i));
      }
      added.accept(accepted);
    } finally {
      if (left > 0) {
        throttle.giveBack(left);
      }
    }
    if (waits) {
      hasRoom.run();
    }
  }

  /** Returns the number of messages that the waiting batch can take without a permit. */
  int openRoom() {
    lock.lock();
    try {
      return waiting.isEmpty() || paused || closed ? 0 : size - waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** Appends messages, and removes and returns the batches that start now. */
  @GuardedBy("lock") private List<List<ClaimedMessage>> form(List<ClaimedMessage> messages) {
    List<List<ClaimedMessage>> ready = new ArrayList<>();
    for (ClaimedMessage message : messages) {
      if (waiting.isEmpty()) {
        endNanos = env.nanoTime() + lingerNanos;
      }
      waiting.add(message);
      if (waiting.size() == size) {
        ready.add(take());
      }
    }
    if (!waiting.isEmpty() && (startsNow(messages) || !awaitEnd())) {
      ready.add(take());
    }
    return ready;
  }

  @GuardedBy("lock") private List<ClaimedMessage> take() {
    List<ClaimedMessage> batch = waiting;
    waiting = new ArrayList<>();
    if (end != null) {
      end.cancel();
      end = null;
    }
    return batch;
  }

  /**
   * Returns whether the batch must start now: it does not linger, or a lease or a message would
   * expire before the end of the linger.
   */
  @GuardedBy("lock") private boolean startsNow(List<ClaimedMessage> messages) {
    long end = endNanos;
    return lingerNanos == 0 || messages.stream().anyMatch(each -> endsBefore(each, end));
  }

  private static boolean endsBefore(ClaimedMessage each, long nanos) {
    return each.lease().isOver(nanos)
        || each.message().content().notAfterMillis() <= each.lease().engineMillis(nanos);
  }

  /** Schedules the end of the linger; returns false if the timer is closed. */
  @GuardedBy("lock") private boolean awaitEnd() {
    if (end != null) {
      return true;
    }
    try {
      end = env.timer().schedule(Math.max(0, endNanos - env.nanoTime()), this::lingerEnded);
      return true;
    } catch (RejectedExecutionException timerClosed) {
      return false;
    }
  }

  private void lingerEnded() {
    List<ClaimedMessage> batch;
    lock.lock();
    try {
      end = null; // this timer has run; one that has replaced it runs all the same
      // The batch of this linger may have started because it was full, and a later batch may wait
      // now.
      if (waiting.isEmpty() || endNanos - env.nanoTime() > 0) {
        return;
      }
      batch = take();
    } finally {
      lock.unlock();
    }
    handlers.execute(batch);
  }

  /**
   * Reserves the room of the waiting batch for a claim without permits; returns the number of
   * messages for which it reserved room.
   */
  int reserve() {
    lock.lock();
    try {
      if (waiting.isEmpty() || !throttle.admitsClaims()) {
        return 0;
      }
      int room = Math.max(0, size - waiting.size() - reserved);
      reserved += room;
      return room;
    } finally {
      lock.unlock();
    }
  }

  /** Cancels a reservation, because its claim has ended. */
  void unreserve(int room) {
    lock.lock();
    try {
      reserved -= room;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts or ends a pause. During a pause, no batch waits and no batch starts. The caller calls
   * {@link #releaseIfPaused} next.
   */
  void pause(boolean wanted) {
    lock.lock();
    try {
      paused = wanted;
    } finally {
      lock.unlock();
    }
  }

  /** Releases the messages of the waiting batch if the worker is paused. */
  void releaseIfPaused() {
    boolean releases;
    lock.lock();
    try {
      releases = paused;
    } finally {
      lock.unlock();
    }
    if (releases) {
      releaseWaiting();
    }
  }

  /** Releases the messages of the waiting batch, and refuses all later messages. */
  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    releaseWaiting();
  }

  private void releaseWaiting() {
    List<ClaimedMessage> batch;
    lock.lock();
    try {
      batch = take();
    } finally {
      lock.unlock();
    }
    batch.forEach(handlers.rules()::release);
    if (!batch.isEmpty()) {
      throttle.giveBack(1);
    }
  }
}
