package io.punctual.internal;

import io.punctual.spi.Reply;
import io.punctual.timer.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Claims what is due in one partition for one worker: a claim at a time, and between claims it
 * sleeps until the earliest moment that anyone named.
 *
 * <p>{@link #nextNanos} is that moment. Sending a claim clears it; a hint, the safety check, or the
 * claim's answer can only lower it. So a hint that comes while a claim is under way is not
 * overwritten by that claim's answer, which may be older than the hint.
 *
 * <p>{@link #lock} guards all state; the thread that holds {@link #running} acts, without the lock,
 * and acts again if the state has changed meanwhile, so that answers that come at once do not
 * recurse. Thread-safe.
 */
final class PartitionClaimer<T> implements Wakeable, ClaimCallback {
  private static final long FOREVER_MICROS = TimeUnit.DAYS.toMicros(365 * 50L);
  private static final long REFUSED_PAUSE_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final QueueWorker<T> worker;
  private final PartitionClient partition;
  private final Environment env;
  private final ReentrantLock lock = new ReentrantLock();

  private boolean hasNext;
  private long nextNanos;
  private @Nullable Timeout timeout;
  private long timeoutNanos;
  private boolean claiming;
  private int permits;

  /** The claim under way waited for more permits. */
  private boolean patient;

  /** The last claim left something that is due. */
  private boolean behind;

  private @Nullable Timeout giveUp;
  private boolean closed;
  private boolean running;
  private boolean changed;

  PartitionClaimer(QueueWorker<T> worker, PartitionClient partition, Environment env) {
    this.worker = worker;
    this.partition = partition;
    this.env = env;
  }

  void start() {
    partition.add(this);
    if (isClosed()) {
      partition.remove(this);
    }
    wake(0);
  }

  /** Claims nothing more. What a claim under way still brings is given back. */
  void close() {
    lock.lock();
    try {
      closed = true;
      if (timeout != null) {
        timeout.cancel();
        timeout = null;
      }
    } finally {
      lock.unlock();
    }
    partition.remove(this);
    worker.leaveLine(this);
    if (partition.session().withdraw(this)) {
      abandoned(null);
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
      lower(untilNextMicros);
    } finally {
      lock.unlock();
    }
    run();
  }

  private void lower(long untilNextMicros) {
    if (untilNextMicros >= FOREVER_MICROS) {
      return;
    }
    long at = env.nanoTime() + TimeUnit.MICROSECONDS.toNanos(Math.max(0, untilNextMicros));
    if (!hasNext || at - nextNanos < 0) {
      hasNext = true;
      nextNanos = at;
    }
  }

  /** Acts on the state: claims, or sets the timer. */
  void run() {
    lock.lock();
    try {
      changed = true;
      if (running) {
        return;
      }
      running = true;
      try {
        while (changed) {
          changed = false;
          act();
        }
      } finally {
        running = false;
      }
    } finally {
      lock.unlock();
    }
  }

  private void act() {
    if (closed || claiming || !hasNext) {
      return;
    }
    if (nextNanos - env.nanoTime() > 0) {
      setTimer();
      return;
    }
    boolean isPatient = behind && partition.partition().prefersBatching();
    int granted = worker.takePermits(this, isPatient);
    if (granted == 0) {
      outside(partition.partition()::handOver);
      return;
    }
    permits = granted;
    patient = isPatient;
    giveUp = env.timer().schedule(PATIENCE_NANOS, this::letOthersWork);
    claiming = true;
    behind = false;
    hasNext = false;
    outside(
        () -> partition.session().claim(worker.claimLimit(granted), worker.leaseMillis(), this));
  }

  private void outside(Runnable step) {
    lock.unlock();
    try {
      step.run();
    } finally {
      lock.lock();
    }
  }

  private void setTimer() {
    if (timeout != null) {
      if (timeoutNanos - nextNanos <= 0 && timeoutNanos - env.nanoTime() > 0) {
        return;
      }
      timeout.cancel();
    }
    timeoutNanos = nextNanos;
    timeout = env.timer().schedule(Math.max(0, nextNanos - env.nanoTime()), this::run);
  }

  @Override
  public void claimed(Reply.Claimed claimed, long firstSentNanos) {
    long now = env.nanoTime();
    ClaimLease grant =
        ClaimLease.of(claimed, partition.session(), firstSentNanos, worker.leaseMillis(), now);
    int granted = takePermits();
    try {
      if (isClosed()) {
        worker.giveBack(claimed, grant, granted);
      } else {
        worker.deliver(claimed, grant, granted);
      }
    } finally {
      claimEnded(claimed.untilNextMicros(), !claimed.messages().isEmpty());
    }
  }

  /** A partition that does not answer must not hold what the other partitions could work with. */
  private void letOthersWork() {
    worker.returnPermits(takePermits());
  }

  private int takePermits() {
    lock.lock();
    try {
      if (giveUp != null) {
        giveUp.cancel();
      }
      int taken = permits;
      permits = 0;
      if (patient && taken > 0) {
        worker.endPatientClaim();
      }
      return taken;
    } finally {
      lock.unlock();
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
  public void abandoned(@Nullable RuntimeException refused) {
    worker.returnPermits(takePermits());
    claimEnded(refused == null ? 0 : REFUSED_PAUSE_MICROS, false);
  }

  private void claimEnded(long untilNextMicros, boolean brought) {
    lock.lock();
    try {
      claiming = false;
      behind = brought && untilNextMicros == 0;
      lower(untilNextMicros);
    } finally {
      lock.unlock();
    }
    worker.claimEnded();
    run();
  }
}
