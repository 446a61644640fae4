package io.punctual.lock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An acquisition of a lock. The handle owns the lock, not a thread.
 *
 * <p>The lock is held until the end of its lease, which counts by this process's monotonic clock
 * from the moment when the last confirmed acquisition or renewal was sent. A thousandth of the
 * lease is subtracted (for a quorum lock, a hundredth and 2 milliseconds), because the clocks of
 * two machines run at different speeds. The server does not grant the lock to a different handle
 * during this time, unless the lock was released by force, the server lost data, its clock jumped,
 * or this machine was suspended. If a resource needs protection in these cases, let it check the
 * {@linkplain #fencingToken() fencing token}.
 *
 * <p>Safe for use by many threads.
 */
public interface LockHandle extends AutoCloseable {
  /** Returns the lock's name; for several locks, their names, separated by commas. */
  String name();

  /**
   * Returns the holder's id on the server, as in {@link LockInfo.Holder#handle()}; for several
   * locks, their ids, separated by commas. Successive holders of a mutex within a client can have
   * the same id. Any process can release the permits of a semaphore by this id: {@link
   * DistributedSemaphore#release}.
   */
  String id();

  /**
   * Returns a number that is greater than the numbers of all earlier acquisitions of this lock,
   * across crashes, expiry and restarts. This holds even if the server lost its last seconds of
   * data, unless the clock of the server that took over is behind by more than the lost time. An
   * owner that enters a lock again gets the same number.
   *
   * @throws UnsupportedOperationException if this kind of lock has no tokens, or if this handle has
   *     several locks, each with its own token
   */
  long fencingToken();

  /** Returns the fencing token of each lock by its name; empty for kinds without tokens. */
  Map<String, Long> fencingTokens();

  /**
   * Returns whether the lock is certainly held now: false after its release or loss, and when its
   * lease has ended.
   */
  boolean isHeld();

  /** Returns for how long the lock is certainly held without a renewal; zero if it is not held. */
  Duration remaining();

  /**
   * Adds a callback for the loss of the lock. A lock is lost if its lease ends, or if a renewal, an
   * extension or the release finds that the handle no longer holds the lock. If the lock is lost
   * already, the callback runs at once. After a release with the outcome {@link
   * ReleaseOutcome#RELEASED} or {@link ReleaseOutcome#STILL_HELD}, the callback does not run. The
   * executor of the {@link RedisLocks} runs the callback.
   */
  void onLost(Consumer<? super LockHandle> callback);

  /**
   * Releases the lock, and waits for the reply, at most for the command time-out. The client no
   * longer renews the lease. Without a reply, it repeats the release until the lease has ended.
   *
   * @return the outcome; a second call returns the same outcome, or the outcome in a reply that
   *     arrived after the first call
   */
  ReleaseOutcome release();

  /** Like {@link #release()}, without waiting. */
  CompletionStage<ReleaseOutcome> releaseAsync();

  /**
   * Releases the lock for this handle, but keeps it taken on the server for this time from now,
   * even if this process ends. Call this method in the {@code finally} block of a job that all
   * machines start by their clocks, but that should run only once. With {@link #release()}, a
   * machine with a slower clock could run a short job again.
   *
   * <p>The lock is no longer renewed. At the end of the time it becomes free by itself, and its
   * waiters get it within a second. If an owner has entered the lock several times, only its last
   * release counts.
   *
   * @param keep up to 30 days; zero or a negative time releases the lock at once
   * @return like {@link #release()}; also {@link ReleaseOutcome#UNCONFIRMED} if replicas should
   *     confirm the change and do not
   * @throws UnsupportedOperationException for a quorum lock, if the time is above zero
   */
  ReleaseOutcome releaseAfter(Duration keep);

  /**
   * Extends the lease to at least this time from now, and waits for the reply. The lease never
   * becomes shorter. If the client renews the lock, it continues to do so, and no renewal shortens
   * the extended lease. A lease of fixed length can be extended repeatedly.
   *
   * @param lease 10 milliseconds to 30 days; for a quorum lock, up to the longest lease of its
   *     servers
   * @return true if the lock is held, now for at least this time; false if it was released or lost
   * @throws io.punctual.StoreUnavailableException if the server does not reply; the lease may have
   *     been extended there, and {@link #remaining()} is unchanged
   * @throws io.punctual.NotConfirmedException if too few replicas confirm the extension; {@link
   *     #remaining()} is unchanged
   */
  boolean extend(Duration lease);

  /** Like {@link #extend}, without waiting. */
  CompletionStage<Boolean> extendAsync(Duration lease);

  /**
   * Like {@link #release()}. Throws no exception if the lock was lost: the callbacks of {@link
   * #onLost} and an event report the loss.
   */
  @Override
  void close();
}
