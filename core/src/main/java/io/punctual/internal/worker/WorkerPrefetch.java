package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.WorkerOptions;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.LeaseEnd;
import io.punctual.internal.handler.Handlers;
import io.punctual.internal.runtime.Baton;
import io.punctual.internal.runtime.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The messages that a worker has claimed beyond its free handlers. They wait in the order of their
 * claims, and start when the worker has permits for them. The prefetch waits for permits in the
 * line of its pool, as the claimers do, so it takes no more than the worker's share. {@link
 * PrefetchLeases} keeps the leases of the waiting messages.
 *
 * <p>Claims reserve room for their messages. A claimer waits in a line until there is room for half
 * of the largest claim that is possible. So claims are large, and partitions get their turn.
 *
 * <p>Thread-safe. No handler, claimer or store is called under the lock.
 */
final class WorkerPrefetch implements Runnable {
  private static final List<WaitingMessage> NONE = List.of();

  @SuppressWarnings("UnnecessaryLambda") // A lambda at the call would need memory.
  private static final Consumer<ClaimedMessage> STAYS_HERE = message -> {};

  @SuppressWarnings("UnnecessaryLambda") // Without memory at the call, the permits would be lost.
  private static final IntConsumer UNCOUNTED = added -> {};

  private final ClaimThrottle throttle;
  private final Batches batches;
  private final DeliveryRules<?> rules;
  private final Consumer<ClaimedMessage> refuse;
  private final int batchSize;
  private final int most;
  private final Runnable whenMoved;
  private final PrefetchLeases leases;
  private final ReentrantLock lock = new ReentrantLock();

  @SuppressWarnings("GuardedBy") // The baton holds the lock when it calls {@link #act}.
  private final Baton baton = new Baton(lock, this::act);

  /** Steps without the lock; objects of their own, because an error may be a lack of memory. */
  private final Runnable start = this::start;

  private final Runnable release = this::releaseSurplus;
  private final Runnable giveBack = this::giveBack;

  @GuardedBy("lock") private final WaitingMessages waiting = new WaitingMessages();

  private final PrefetchRoom room;

  /** The number of permits that claims have taken, and that the first waiting messages will use. */
  @GuardedBy("lock") private int permits;

  /** The messages that start now. */
  @GuardedBy("lock") private List<WaitingMessage> starting = NONE;

  /** The permits of the messages that start now. */
  @GuardedBy("lock") private int granted;

  /** The messages that are released now. */
  @GuardedBy("lock") private List<WaitingMessage> surplus = NONE;

  /** Whether messages were removed, and their release was not submitted yet. */
  @GuardedBy("lock") private boolean releasing;

  @GuardedBy("lock") private boolean paused;

  @GuardedBy("lock") private boolean closed;

  /**
   * Creates an empty prefetch. If the prefetch of the options is 0, no message waits.
   *
   * @param whenMoved runs without the lock after messages were started or released
   */
  @SuppressWarnings("GuardedBy") // The room holds the lock when it calls {@link #hasRoom}.
  WorkerPrefetch(
      Environment env,
      WorkerOptions options,
      ClaimThrottle throttle,
      Batches batches,
      int batchSize,
      Handlers<?> handlers,
      Runnable whenMoved) {
    this.throttle = throttle;
    this.batches = batches;
    this.rules = handlers.rules();
    this.refuse = rules::release;
    this.batchSize = batchSize;
    this.most = options.prefetch();
    this.whenMoved = whenMoved;
    this.room = new PrefetchRoom(lock, this::hasRoom, most, throttle, this);
    this.leases = new PrefetchLeases(env, rules, handlers.leaseMillis(), this);
  }

  /** Adds the messages of a claim, together with the permits of the claim. */
  void add(List<ClaimedMessage> messages, int taken) {
    if (most == 0) {
      batches.add(messages, taken, refuse, UNCOUNTED);
      return;
    }
    try {
      addWaiting(messages, taken);
    } finally {
      try {
        run();
      } finally {
        if (!isEmpty()) {
          leases.added();
        }
      }
    }
  }

  private void addWaiting(List<ClaimedMessage> messages, int taken) {
    lock.lock();
    try {
      permits += taken;
      for (ClaimedMessage each : messages) {
        waiting.add(new WaitingMessage(each));
        room.add(-1);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts as many messages as the permits allow. While paused or closed, releases all messages.
   */
  @Override
  public void run() {
    baton.run();
  }

  @GuardedBy("lock") private void act() {
    try {
      if (!waiting.isEmpty() && !isStopped()) {
        int open = batches.openRoom();
        granted = takePermits(open);
        starting = waiting.start(granted * (long) batchSize + open);
        if (!starting.isEmpty()) {
          baton.unlocked(start);
        }
      }
      if (!waiting.isEmpty() && !isStopped()) {
        throttle.join(this);
      }
      surplus = removeSurplus();
    } finally {
      releasing = true;
      baton.unlocked(release);
      releasing = false;
      baton.unlocked(giveBack);
    }
  }

  /** Releases the messages that must not wait. */
  private void releaseSurplus() {
    List<WaitingMessage> released;
    lock.lock();
    try {
      released = surplus;
      surplus = NONE;
    } finally {
      lock.unlock();
    }
    for (int i = 0; i < released.size(); i++) {
      rules.release(released.get(i).claimed());
    }
  }

  /** Gives the permits back that no message uses, and the room of messages that wait no more. */
  private void giveBack() {
    int left;
    lock.lock();
    try {
      left = permits + granted;
      permits = 0;
      granted = 0;
    } finally {
      lock.unlock();
    }
    try {
      throttle.giveBack(left);
    } finally {
      room.offer();
      whenMoved.run();
    }
  }

  /** Returns whether further claims may bring messages. */
  @GuardedBy("lock") private boolean hasRoom() {
    return !isStopped() && waiting.bytes() < PrefetchRoom.MOST_BYTES;
  }

  @GuardedBy("lock") private boolean isStopped() {
    return paused || closed;
  }

  /**
   * Takes permits for the waiting messages: the permits of their claims, and a share of the free
   * permits.
   *
   * @param open the number of messages that need no permit, because a waiting batch has room
   */
  @GuardedBy("lock") private int takePermits(int open) {
    int needed = Math.max(0, waiting.size() - open + batchSize - 1) / batchSize;
    int own = Math.min(permits, needed);
    permits -= own;
    granted = own;
    return own < needed ? own + throttle.take(this, needed - own, false) : own;
  }

  /** Starts the first messages with the permits for them. */
  private void start() {
    List<WaitingMessage> messages;
    int used;
    lock.lock();
    try {
      messages = starting;
      starting = NONE;
      used = granted;
    } finally {
      lock.unlock();
    }
    AtomicInteger started = new AtomicInteger();
    try {
      List<ClaimedMessage> claimed = new ArrayList<>(messages.size());
      for (int i = 0; i < messages.size(); i++) {
        claimed.add(messages.get(i).claimed());
      }
      IntConsumer count = started::set;
      use(used);
      batches.add(claimed, used, STAYS_HERE, count);
    } finally {
      started(messages, started.get());
    }
  }

  /** Notes that the batches own these permits now. */
  private void use(int permitsOfBatches) {
    lock.lock();
    try {
      granted -= permitsOfBatches;
    } finally {
      lock.unlock();
    }
  }

  private void started(List<WaitingMessage> messages, int started) {
    lock.lock();
    try {
      for (int i = 0; i < messages.size(); i++) {
        if (i < started) {
          remove(messages.get(i));
        } else {
          messages.get(i).starting(false);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock") private void remove(WaitingMessage message) {
    if (waiting.remove(message)) {
      room.add(1);
    }
  }

  /**
   * Removes and returns the messages that must not wait: while paused or closed all messages,
   * otherwise the messages beyond the limit. There may be too many messages because a slow claim
   * has lost its room to other claims.
   */
  @GuardedBy("lock") private List<WaitingMessage> removeSurplus() {
    int kept = isStopped() ? 0 : most;
    List<WaitingMessage> removed = waiting.after(kept);
    removed.forEach(this::remove);
    return removed;
  }

  /** Reserves room for a claim; see {@link PrefetchRoom#reserve}. */
  int reserve(PartitionClaimer claimer, int wanted) {
    return room.reserve(claimer, wanted);
  }

  /** Cancels a reservation, because its claim has ended or takes too long. */
  void unreserve(int reserved) {
    room.unreserve(reserved);
  }

  /** Removes a closed claimer from the line. */
  void leave(PartitionClaimer claimer) {
    room.leave(claimer);
  }

  /** Returns whether this prefetch has no messages. Messages that are being started count, too. */
  boolean isEmpty() {
    lock.lock();
    try {
      return waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether this prefetch has no messages, and releases none. */
  boolean isQuiet() {
    lock.lock();
    try {
      return waiting.isEmpty() && !releasing;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the waiting messages that are not being started. */
  List<WaitingMessage> messages() {
    lock.lock();
    try {
      return waiting.notStarting();
    } finally {
      lock.unlock();
    }
  }

  /** Sets the new end of a lease, unless the message is being started. */
  void renewed(WaitingMessage message, LeaseEnd end) {
    lock.lock();
    try {
      message.renewed(end);
    } finally {
      lock.unlock();
    }
  }

  /** Removes a message; returns false if it waits no longer, or a handler is about to have it. */
  boolean removeIfWaiting(WaitingMessage message) {
    lock.lock();
    try {
      if (message.isStarting() || !waiting.contains(message)) {
        return false;
      }
      remove(message);
    } finally {
      lock.unlock();
    }
    room.offer();
    return true;
  }

  /**
   * Starts or ends a pause. During a pause, no message waits or starts. The caller calls {@link
   * #releaseIfPaused} next.
   */
  void pause(boolean wanted) {
    if (!wanted) {
      batches.pause(false);
    }
    lock.lock();
    try {
      paused = wanted;
    } finally {
      lock.unlock();
    }
    if (wanted) {
      batches.pause(true);
    }
  }

  /** Releases the messages that wait here or in a batch, if the worker is paused. */
  void releaseIfPaused() {
    run();
    batches.releaseIfPaused();
  }

  /** Releases the messages that wait here or in a batch, and all messages that arrive later. */
  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    run();
    throttle.leave(this);
    batches.close();
  }
}
