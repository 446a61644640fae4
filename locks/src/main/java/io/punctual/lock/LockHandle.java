package io.punctual.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An acquisition of a lock. The handle owns the lock, not a thread.
 *
 * <p>It is held until a moment of this process's monotonic clock: when the last confirmed
 * acquisition or renewal was sent, plus the lease, less a thousandth of it, as the clocks of two
 * machines run at different speeds. The server gives the lock to another handle no earlier than
 * that, unless the server lost data, its clock jumped, or this machine was suspended. A resource
 * that needs protection in these cases checks the {@linkplain #fencingToken() fencing token}.
 *
 * <p>Safe for use by many threads.
 */
public interface LockHandle extends AutoCloseable {
  /** Returns the lock's name; of several locks, their names with commas. */
  String name();

  /**
   * Returns the id under which the server knows the holder, as {@link LockInfo.Holder#handle()} has
   * it; of several locks, their ids with commas. Holders to whom a mutex passed within one client
   * share an id. A permit can be released by its id from elsewhere: {@link
   * DistributedSemaphore#release}.
   */
  String id();

  /**
   * Returns a number above that of every earlier acquisition of this lock, across crashes, expiry
   * and restarts, and also when the server lost its last seconds, unless the server that took over
   * has a clock behind by more than that. Entering again gets the same number.
   *
   * @throws UnsupportedOperationException if this kind of lock has none, or if these are several
   *     locks, which have one each
   */
  long fencingToken();

  /** Returns the fencing token of each lock by its name; empty for kinds that have none. */
  Map<String, Long> fencingTokens();

  /**
   * Returns whether the lock is surely held now. False once it was given back or is lost, and after
   * its lease has run out, whether or not that was noticed before.
   */
  boolean isHeld();

  /** Returns for how long it is surely held if nothing renews it; zero if it is not. */
  Duration remaining();

  /**
   * Calls this once the lock is lost: its lease ran out, or the server says that somebody took it
   * away. At once if that has happened, never after it was given back. Runs on the executor of the
   * {@link RedisLocks}.
   */
  void onLost(Consumer<? super LockHandle> callback);

  /**
   * Gives the lock back, and waits for the answer up to the command time-out. It is no longer
   * renewed in any case, and tried to be given back until its lease has run out.
   *
   * @return what came of it; a second time the same, or what was answered since
   */
  ReleaseOutcome release();

  /** As {@link #release()}, without waiting. */
  CompletionStage<ReleaseOutcome> releaseAsync();

  /**
   * Gives the lock back, and leaves it taken on the server for this long from now: nobody else gets
   * it before, even if this process ends. Use it for a job that all machines start by the clock and
   * only one may run, in a {@code finally} block: a job that ends before the clocks of slow
   * machines strike would run again there.
   *
   * <p>The lock is no longer renewed, and becomes free by itself; those who wait for it get it
   * within a second then. Of several entries of one owner the last one counts.
   *
   * @param keep up to 30 days; zero or a negative time releases it at once
   * @return as {@link #release()}; {@link ReleaseOutcome#UNCONFIRMED} as well if the replicas,
   *     where they were asked for, do not confirm it
   * @throws UnsupportedOperationException for a quorum lock
   */
  ReleaseOutcome releaseAfter(Duration keep);

  /**
   * Lets the lease last at least this long from now, and waits for the answer. The lease never
   * becomes shorter. A lock that is renewed keeps the longer lease, and is renewed on from there; a
   * lock with a lease of its own can be extended again and again.
   *
   * @param lease 10 milliseconds to 30 days; of a quorum lock, up to the longest lease of its
   *     servers
   * @return whether the lock is held, now for this long; false if it was given back or is lost
   * @throws io.punctual.StoreUnavailableException if the server does not answer; the lease may have
   *     been extended there, and {@link #remaining()} is what it was
   * @throws io.punctual.NotConfirmedException if too few replicas confirm it; the same
   */
  boolean extend(Duration lease);

  /** As {@link #extend}, without waiting. */
  CompletionStage<Boolean> extendAsync(Duration lease);

  /** As {@link #release()}; a loss raises the event and calls {@link #onLost}, no exception. */
  @Override
  void close();
}
