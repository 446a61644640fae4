package io.punctual.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An acquisition of a lock. The handle owns the lock, not a thread.
 *
 * <p>The lock is held until a moment of this process's monotonic clock: when the last confirmed
 * acquisition or renewal was sent, plus the lease, less a thousandth of it, as the clocks of two
 * machines run at different speeds. The server grants the lock to a different handle no earlier
 * than that, unless the server lost data, its clock jumped, or this machine was suspended. A
 * resource that needs protection in these cases checks the {@linkplain #fencingToken() fencing
 * token}.
 *
 * <p>Safe for use by many threads.
 */
public interface LockHandle extends AutoCloseable {
  /** Returns the lock's name; of several locks, their names with commas. */
  String name();

  /**
   * Returns the holder's id on the server, as in {@link LockInfo.Holder#handle()}; of several
   * locks, their ids with commas. Holders that took a mutex over from each other within a client
   * share an id. Any process can release a permit by its id: {@link DistributedSemaphore#release}.
   */
  String id();

  /**
   * Returns a number above that of every earlier acquisition of this lock, across crashes, expiry
   * and restarts, and also when the server lost its last seconds, unless the clock of the server
   * that took over is behind by more than that. An owner that enters again gets the same number.
   *
   * @throws UnsupportedOperationException if this kind of lock has no token, or if these are
   *     several locks, each with its own token
   */
  long fencingToken();

  /** Returns the fencing token of each lock by its name; empty for kinds without tokens. */
  Map<String, Long> fencingTokens();

  /**
   * Returns whether the lock is certainly held now. False after its release or loss, and as soon as
   * its lease has run out.
   */
  boolean isHeld();

  /** Returns how long the lock is certainly held without a renewal; zero if it is not held. */
  Duration remaining();

  /**
   * Calls this callback when the lock is lost: its lease ran out, or a renewal found that the
   * handle no longer holds it. Calls it at once if the lock is lost already, and never after a
   * release. Runs on the executor of the {@link RedisLocks}.
   */
  void onLost(Consumer<? super LockHandle> callback);

  /**
   * Releases the lock, and waits for the reply up to the command time-out. Without a reply, the
   * client stops the renewals, and retries the release until the lease has run out.
   *
   * @return the outcome; a second call returns the same outcome, or a reply that has arrived since
   */
  ReleaseOutcome release();

  /** As {@link #release()}, without waiting. */
  CompletionStage<ReleaseOutcome> releaseAsync();

  /**
   * Releases the lock, but leaves it taken on the server for this long from now, even if this
   * process ends. Use it in the {@code finally} block of a job that all machines start by their
   * clocks, but that should run once: otherwise a short job runs again on a machine with a slower
   * clock.
   *
   * <p>The lock is no longer renewed, and becomes free by itself; its waiters get it within a
   * second then. If an owner has entered the lock several times, its last release counts.
   *
   * @param keep up to 30 days; zero or a negative time releases it at once
   * @return as {@link #release()}; also {@link ReleaseOutcome#UNCONFIRMED} if replicas should
   *     confirm it and do not
   * @throws UnsupportedOperationException for a quorum lock
   */
  ReleaseOutcome releaseAfter(Duration keep);

  /**
   * Extends the lease to at least this long from now, and waits for the reply. The lease never
   * becomes shorter. A renewed lock keeps the longer lease, and its renewals continue from there; a
   * lease of the caller's own can be extended repeatedly.
   *
   * @param lease 10 milliseconds to 30 days; of a quorum lock, up to the longest lease of its
   *     servers
   * @return whether the lock is held, now for this long; false if it was released or is lost
   * @throws io.punctual.StoreUnavailableException if the server does not answer; the lease may have
   *     been extended there, and {@link #remaining()} is unchanged
   * @throws io.punctual.NotConfirmedException if too few replicas confirm it; {@link #remaining()}
   *     is unchanged
   */
  boolean extend(Duration lease);

  /** As {@link #extend}, without waiting. */
  CompletionStage<Boolean> extendAsync(Duration lease);

  /** As {@link #release()}; a loss raises the event and calls {@link #onLost}, no exception. */
  @Override
  void close();
}
