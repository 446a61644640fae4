package io.punctual.lock.internal.kind;

import io.punctual.internal.log.Logs;
import io.punctual.lock.LockHandle;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.OpenWaits;
import io.punctual.lock.internal.hold.Hold;
import io.punctual.lock.internal.protocol.LockOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * An attempt to acquire several locks in sequence. If the attempt cannot get the next lock, it
 * releases all locks and ends. When it has all locks, but a lease has ended in the meantime, it
 * releases all locks, and starts again after a pause, unless the wait is over. Thread-safe.
 */
final class MultiAcquisition implements PendingAcquisition, OpenWaits.Wait {
  private static final Logger log = Logs.of(MultiAcquisition.class);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final LockClient client;
  private final List<MutexLock> locks;
  private final long waitNanos;
  private final long startNanos;
  private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();

  private List<LockHandle> got = new ArrayList<>();
  private @Nullable PendingAcquisition current;
  private boolean over;

  private MultiAcquisition(LockClient client, List<MutexLock> locks, long waitNanos) {
    this.client = client;
    this.locks = locks;
    this.waitNanos = waitNanos;
    this.startNanos = client.nanoTime();
  }

  static MultiAcquisition start(LockClient client, List<MutexLock> locks, long waitNanos) {
    MultiAcquisition made = new MultiAcquisition(client, locks, waitNanos);
    client.waits().enter(made);
    made.askNext();
    return made;
  }

  @Override
  public CompletableFuture<Optional<LockHandle>> result() {
    return result;
  }

  private long leftNanos() {
    return waitNanos == 0 || waitNanos == LockOptions.FOREVER
        ? waitNanos
        : waitNanos - (client.nanoTime() - startNanos);
  }

  private void askNext() {
    MutexLock lock;
    synchronized (this) {
      if (over) {
        return;
      }
      lock = locks.get(got.size());
    }
    // At least 1, because an attempt with a wait of 0 may wait for a reply beyond the end.
    PendingAcquisition asked;
    try {
      asked = lock.ask(waitNanos == 0 ? 0 : Math.max(1, leftNanos()));
    } catch (Throwable e) { // for example because memory is short
      fail(e);
      return;
    }
    try {
      follow(asked);
    } catch (Throwable e) {
      try {
        AbstractLock.giveUp(asked); // nobody else would release its lock
      } finally {
        fail(e);
      }
    }
  }

  private void follow(PendingAcquisition asked) {
    boolean unwanted;
    synchronized (this) {
      current = asked;
      unwanted = over;
    }
    if (unwanted) {
      asked.cancel();
    }
    asked
        .result()
        .whenComplete(
            (one, failure) -> {
              if (failure != null) {
                fail(failure);
              } else {
                one.ifPresentOrElse(this::step, this::none);
              }
            });
  }

  /** Adds a lock. If that throws, for example because memory is short, the attempt fails. */
  private void step(LockHandle one) {
    try {
      add(one);
    } catch (Throwable e) {
      fail(e);
      if (result.isCompletedExceptionally()) {
        one.releaseAsync(); // in case that it was not added
      }
    }
  }

  private void fail(Throwable failure) {
    if (giveBack()) {
      result.completeExceptionally(failure);
    }
  }

  private void none() {
    if (giveBack()) {
      result.complete(Optional.empty());
    }
  }

  private void add(LockHandle one) {
    boolean unwanted;
    boolean all;
    synchronized (this) {
      unwanted = over;
      if (!unwanted) {
        got.add(one);
      }
      all = got.size() == locks.size();
    }
    if (unwanted) {
      one.releaseAsync();
    } else if (all) {
      finish();
    } else {
      askNext();
    }
  }

  private void finish() {
    List<LockHandle> all;
    Optional<LockHandle> together;
    synchronized (this) {
      if (over) {
        return;
      }
      all = got;
      together = together(all);
      over = together.isPresent();
      if (!over) {
        got = new ArrayList<>();
      }
    }
    if (together.isPresent()) {
      client.waits().leave(this);
      result.complete(together);
    } else {
      release(all);
      startAgain();
    }
  }

  /** Returns the locks as one, or empty if a lease has ended. */
  private static Optional<LockHandle> together(List<LockHandle> all) {
    return all.stream().allMatch(LockHandle::isHeld)
        ? Optional.of(new MultiHandle(all.stream().map(Hold.class::cast).toList()))
        : Optional.empty();
  }

  private void startAgain() {
    long left = leftNanos();
    if (left <= 0) {
      none();
    } else if (client.after(Math.min(left, PAUSE_NANOS), this::askNext) == null) {
      fail(LockFailures.closed());
    }
  }

  /** Ends the attempt and releases the locks; returns false if the attempt has ended before. */
  private boolean giveBack() {
    List<LockHandle> all;
    synchronized (this) {
      if (over) {
        return false;
      }
      over = true;
      all = got;
    }
    client.waits().leave(this);
    release(all);
    return true;
  }

  /** Releases locks. An error in one release does not keep the others. */
  private static void release(List<LockHandle> all) {
    for (LockHandle each : all) {
      try {
        each.releaseAsync();
      } catch (Throwable e) { // for example because memory is short
        log.warn("'{}' was not released, and is held until its client is closed", each.name(), e);
      }
    }
  }

  @Override
  public boolean cancel() {
    boolean ends = giveBack();
    if (ends) {
      PendingAcquisition asked;
      synchronized (this) {
        asked = current;
      }
      if (asked != null) {
        asked.cancel();
      }
      result.completeExceptionally(new CancellationException("The attempt was given up"));
    }
    return ends;
  }

  @Override
  public void close() {
    fail(LockFailures.closed());
  }
}
