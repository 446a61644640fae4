package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.LeaseEnd;
import io.punctual.internal.log.Logs;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.WakeTime;
import io.punctual.internal.partition.Wakeable;
import io.punctual.internal.runtime.Baton;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.session.ClaimCallback;
import io.punctual.internal.session.SessionLostException;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.timer.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Claims due messages of one partition for one worker, with one claim at a time. Between claims it
 * waits until its {@link WakeTime}. {@link #lock} guards all state. The thread that has the {@link
 * Baton} sends claims, and the thread that brings a reply calls the worker, both without the lock.
 * Thread-safe.
 */
final class PartitionClaimer implements Runnable, Wakeable, ClaimCallback {
  private static final Logger log = Logs.of(PartitionClaimer.class);
  private static final long REFUSED_PAUSE_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final long PERMIT_TIME_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Environment env;
  private final PartitionClient partition;
  private final ClaimThrottle throttle;
  private final Batches batches;
  private final WorkerPrefetch prefetch;
  private final int batchSize;
  private final long leaseMillis;
  private final Consumer consumer;
  private final ReentrantLock lock = new ReentrantLock();

  @SuppressWarnings("GuardedBy") // The baton holds the lock when it calls {@link #act}.
  private final Baton baton = new Baton(lock, this::act);

  /** Steps without the lock; objects of their own, because an error may be a lack of memory. */
  private final Runnable send = this::send;

  private final Runnable giveBackAll = this::giveBackAll;

  @GuardedBy("lock") private final WakeTime next;

  @GuardedBy("lock") private boolean claiming;

  @GuardedBy("lock") private int permits;

  /**
   * The number of messages of the claim in flight that need no permit, because a waiting batch has
   * room for them.
   */
  @GuardedBy("lock") private int room;

  /** The room of the prefetch that the claim in flight has reserved. */
  @GuardedBy("lock") private int ahead;

  /** The largest number of messages of the claim in flight. */
  @GuardedBy("lock") private int limit;

  /** Whether the claim in flight preferred a short wait to few permits. */
  @GuardedBy("lock") private boolean lingered;

  /** Whether the last claim brought messages, and its reply asks for a further claim at once. */
  @GuardedBy("lock") private boolean behind;

  @GuardedBy("lock") private @Nullable Timeout permitTime;

  /** The value of {@link Environment#wallAheadNanos} at the last claim. */
  private volatile long wallAheadNanos;

  @GuardedBy("lock") private boolean closed;

  /** Receives the replies of claims. The calling thread holds no lock. */
  interface Consumer {
    /** Delivers the messages of a claim, and becomes the owner of its permits. Throws nothing. */
    void deliver(Reply.Claimed claimed, ClaimLease lease, int permits);

    /**
     * Releases the messages of a claim whose reply arrived after the close of the claimer, and
     * gives its permits back.
     */
    void release(Reply.Claimed claimed, ClaimLease lease, int permits);

    /** Notes that a claim has ended, with a reply or without. */
    void claimEnded();
  }

  PartitionClaimer(
      Environment env,
      PartitionClient partition,
      ClaimThrottle throttle,
      Batches batches,
      WorkerPrefetch prefetch,
      int batchSize,
      long leaseMillis,
      Consumer consumer) {
    this.env = env;
    this.next = new WakeTime(env, this);
    this.partition = partition;
    this.throttle = throttle;
    this.batches = batches;
    this.prefetch = prefetch;
    this.batchSize = batchSize;
    this.leaseMillis = leaseMillis;
    this.consumer = consumer;
  }

  void start() {
    partition.add(this);
    if (isClosed()) {
      partition.remove(this);
    }
    wake(0);
  }

  /** Stops claiming. When the reply of a claim in flight arrives, its messages are released. */
  void close() {
    lock.lock();
    try {
      closed = true;
      next.cancelTimer();
    } finally {
      lock.unlock();
    }
    partition.remove(this);
    throttle.leave(this);
    prefetch.leave(this);
    if (partition.withdrawForWorker(this)) {
      failed(new SessionLostException());
    }
  }

  boolean isClaiming() {
    lock.lock();
    try {
      return claiming;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wake(long untilNextMicros) {
    lock.lock();
    try {
      next.lower(env.nanoTime(), untilNextMicros);
    } finally {
      lock.unlock();
    }
    run();
  }

  /** Claims if the wake time has come, otherwise sets the timer. */
  @Override
  public void run() {
    baton.run();
  }

  @GuardedBy("lock") private void act() {
    if (closed || claiming || !next.isKnown()) {
      return;
    }
    if (!next.hasCome(env.nanoTime())) {
      if (!next.setTimer()) {
        endWithoutTimer();
      }
      return;
    }
    try {
      if (!reserve()) {
        baton.unlocked(partition.partition()::handOver);
        return;
      }
    } catch (Throwable e) {
      baton.unlocked(giveBackAll);
      throw e;
    }
    claiming = true;
    behind = false;
    next.clear();
    baton.unlocked(send);
  }

  /** Reserves permits and room for a claim; returns whether there are any. */
  @GuardedBy("lock") private boolean reserve() {
    boolean lingers = behind && partition.partition().prefersBatching();
    // Prefetched messages receive permits before new claims do.
    permits = prefetch.isEmpty() ? throttle.take(this, mostPermits(), lingers) : 0;
    lingered = lingers;
    room = permits == 0 ? batches.reserve() : 0;
    int most = permits == 0 ? room : claimLimit(permits);
    ahead = prefetch.reserve(this, Partition.MAX_PAGE - most);
    limit = most + ahead;
    return limit > 0;
  }

  private void send() {
    try {
      Timeout time = env.ifOpen(PERMIT_TIME_NANOS, this::lendPermits);
      wallAheadNanos = env.wallAheadNanos();
      int most;
      lock.lock();
      try {
        permitTime = time;
        most = limit;
      } finally {
        lock.unlock();
      }
      if (time == null) {
        endWithoutTimer();
      } else {
        partition.claimForWorker(new Call.Claim(most, leaseMillis), this);
      }
    } catch (Throwable e) {
      endWithoutReply(REFUSED_PAUSE_MICROS);
      throw e;
    }
  }

  private void giveBackAll() {
    freeRoom();
    lendPermits();
  }

  /**
   * Ends the claims, because the user has closed the timer before the client, so that the leases of
   * messages could not be renewed.
   */
  private void endWithoutTimer() {
    lock.lock();
    try {
      closed = true;
      claiming = false;
    } finally {
      lock.unlock();
    }
    log.warn(
        "The worker of queue '{}' claims no more messages, because the client's timer is"
            + " closed; close the client before its timer",
        partition.partition().queue());
    giveBackAll();
  }

  /** Returns the largest number of permits that one claim can use. */
  private int mostPermits() {
    return (Partition.MAX_PAGE + batchSize - 1) / batchSize;
  }

  /** Returns the limit of a claim with these permits, in messages. */
  private int claimLimit(int granted) {
    return (int) Math.min(Partition.MAX_PAGE, (long) granted * batchSize);
  }

  @Override
  public void claimed(Reply.Claimed claimed, long firstSentNanos) {
    int granted = takePermits();
    freeRoom();
    try {
      deliver(claimed, firstSentNanos, granted);
      partition.claimed(claimed);
    } finally {
      try {
        prefetch.unreserve(takeAhead());
      } finally {
        claimEnded(claimed.untilNextMicros(), !claimed.messages().isEmpty());
      }
    }
  }

  private LeaseEnd end(long firstSentNanos) {
    long nanos = firstSentNanos + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    return new LeaseEnd(nanos, wallAheadNanos);
  }

  private void deliver(Reply.Claimed claimed, long firstSentNanos, int granted) {
    ClaimLease lease;
    try {
      lease = ClaimLease.of(claimed, partition.session(), end(firstSentNanos), env.nanoTime());
    } catch (Throwable e) {
      throttle.giveBack(granted);
      throw e;
    }
    if (isClosed()) {
      consumer.release(claimed, lease, granted);
    } else {
      consumer.deliver(claimed, lease, granted);
    }
  }

  /**
   * Gives back the permits and the room in the prefetch, so that claims of other partitions can use
   * them. Called when this partition has not answered the claim for a second, or the timer is
   * closed.
   */
  private void lendPermits() {
    try {
      throttle.giveBack(takePermits());
    } finally {
      prefetch.unreserve(takeAhead());
    }
  }

  private int takePermits() {
    lock.lock();
    try {
      if (permitTime != null) {
        permitTime.cancel();
      }
      int taken = permits;
      permits = 0;
      if (lingered && taken > 0) {
        throttle.endLargeClaim();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private int takeAhead() {
    lock.lock();
    try {
      int taken = ahead;
      ahead = 0;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void freeRoom() {
    int reserved;
    lock.lock();
    try {
      reserved = room;
      room = 0;
    } finally {
      lock.unlock();
    }
    if (reserved > 0) {
      batches.unreserve(reserved);
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void failed(RuntimeException reason) {
    endWithoutReply(reason instanceof SessionLostException ? 0 : REFUSED_PAUSE_MICROS);
  }

  private void endWithoutReply(long pauseMicros) {
    try {
      giveBackAll();
    } finally {
      claimEnded(pauseMicros, false);
    }
  }

  private void claimEnded(long untilNextMicros, boolean brought) {
    lock.lock();
    try {
      claiming = false;
      behind = brought && untilNextMicros == 0;
      next.lower(env.nanoTime(), untilNextMicros);
    } finally {
      lock.unlock();
    }
    try {
      consumer.claimEnded();
    } finally {
      run();
    }
  }
}
