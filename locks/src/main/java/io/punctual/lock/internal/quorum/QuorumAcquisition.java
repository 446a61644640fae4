package io.punctual.lock.internal.quorum;

import io.punctual.StoreUnavailableException;
import io.punctual.lock.LockHandle;
import io.punctual.lock.LockKind;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.OpenWaits;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.timer.Timeout;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a quorum lock. The attempt asks all servers at once. If it gets no
 * majority, it releases the lock on all servers, and asks again after a random pause, with a new
 * handle. Thread-safe.
 */
final class QuorumAcquisition implements PendingAcquisition, OpenWaits.Wait {
  private static final long LONGEST_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final QuorumLock lock;
  private final LockClient client;
  private final long waitNanos;
  private final long startNanos;
  private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();
  private final AtomicBoolean over = new AtomicBoolean();

  /**
   * When a majority of the servers last voted; at first, the start of the attempt. A round writes
   * this field only after the previous round has ended.
   */
  private volatile long answeredNanos;

  /**
   * The votes of the last round that ended before the end of the wait. The rounds write this field
   * like {@link #answeredNanos}.
   */
  private volatile @Nullable QuorumVotes wholeVotes;

  /**
   * The handle of the round that waits for its votes; null between rounds. An attempt that is
   * cancelled in a round waits for the votes, or for the close of the client, to take them back.
   */
  private volatile @Nullable String asking;

  private QuorumAcquisition(QuorumLock lock, long waitNanos) {
    this.lock = lock;
    this.client = lock.first().client();
    this.waitNanos = waitNanos;
    this.startNanos = client.nanoTime();
    this.answeredNanos = startNanos;
  }

  static QuorumAcquisition start(QuorumLock lock, long waitNanos) {
    QuorumAcquisition made = new QuorumAcquisition(lock, waitNanos);
    made.client.events().started();
    made.client.waits().enter(made);
    made.step(made::ask);
    return made;
  }

  /**
   * Makes a step of the attempt. If the step throws, for example because memory is short, the
   * attempt fails.
   */
  private void step(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      fail(e);
      result.completeExceptionally(e); // if the error came after the end of the attempt
    }
  }

  /**
   * Makes a step with votes, which are taken back if the step throws and the caller has no lock.
   */
  private void step(String handle, Runnable step) {
    step(
        () -> {
          try {
            step.run();
          } catch (Throwable e) {
            try {
              if (!result.isDone() || result.isCompletedExceptionally()) {
                lock.remove(handle, lock.options().leaseMillis());
              }
            } finally {
              asking = null;
            }
            throw e;
          }
        });
  }

  /** Ends the attempt; returns false if it has ended before. */
  private boolean end() {
    boolean ends = over.compareAndSet(false, true);
    leaveIfOver();
    return ends;
  }

  /** Leaves the waits of the client, and returns true, if the attempt and its round are over. */
  private boolean leaveIfOver() {
    boolean leaves = over.get() && asking == null;
    if (leaves) {
      client.waits().leave(this);
    }
    return leaves;
  }

  private long leftNanos() {
    return waitNanos - (client.nanoTime() - startNanos);
  }

  @Override
  public CompletableFuture<Optional<LockHandle>> result() {
    return result;
  }

  private void ask() {
    if (over.get()) {
      return;
    }
    String handle = client.ids().next("q", lock.options().leaseMillis());
    long sentAt = client.nanoTime();
    // A short wait does not cut the first round short, because replies are still under way.
    long least = wholeVotes == null ? QuorumLock.SHORTEST_TIMEOUT : 1;
    long most = waitNanos == 0 ? Long.MAX_VALUE : Math.max(least, leftNanos());
    asking = handle;
    if (over.get()) { // the end may not have seen this handle
      asking = null;
      leaveIfOver();
      return;
    }
    step(
        handle,
        () ->
            lock.vote(handle, most)
                .thenAccept(
                    votes -> step(handle, () -> voted(handle, votes, lock.untilNanos(sentAt)))));
  }

  private void voted(String handle, QuorumVotes votes, long until) {
    // Created before the end: an error after the end would leave the attempt without a result.
    QuorumHold hold = new QuorumHold(lock, handle, until);
    if (votes.isMajority() && until - client.nanoTime() > 0 && over.compareAndSet(false, true)) {
      asking = null;
      leaveIfOver();
      finish(hold);
      return;
    }
    if (votes.taken() == 0) {
      lock.remove(handle, lock.options().leaseMillis());
    } else {
      // The handle on other servers may be the different client's as well, so nothing is removed.
      client.ids().renew(handle);
    }
    asking = null; // not before, so that a close in the meantime removes the votes, too
    step(() -> goOn(votes)); // a step of its own, because an error now must not remove votes
  }

  private void goOn(QuorumVotes votes) {
    if (leaveIfOver()) {
      return;
    }
    long now = client.nanoTime();
    long left = leftNanos();
    if (votes.isHeldByOthers()) {
      answeredNanos = now;
    }
    boolean hopeless =
        client.isClosed()
            || (waitNanos == LockOptions.FOREVER && now - answeredNanos > LONGEST_FAILURE_NANOS);
    if (hopeless || left <= 0) {
      giveUp(verdict(votes, left));
    } else {
      wholeVotes = votes;
      pause(votes, left);
    }
  }

  private QuorumVotes verdict(QuorumVotes votes, long left) {
    QuorumVotes before = wholeVotes;
    return left <= 0 && before != null && !votes.isHeldByOthers() ? before : votes;
  }

  private void pause(QuorumVotes votes, long left) {
    long pause = PAUSE_NANOS + client.random().nextLong(2 * PAUSE_NANOS * lock.size());
    Timeout next =
        pause < left
            ? client.after(pause, () -> step(this::ask))
            : client.after(left, () -> step(() -> giveUp(votes)));
    if (next == null) {
      giveUp(votes);
    }
  }

  private void finish(QuorumHold hold) {
    try {
      client.events().acquired(LockKind.QUORUM, lock.name(), 0, client.nanoTime() - startNanos);
      lock.first().watchdog().watch(hold);
      result.complete(Optional.of(hold));
    } catch (Throwable e) { // for example because memory is short
      result.completeExceptionally(e);
    }
    if (result.isCompletedExceptionally()) {
      CompletableFuture<?> unused = hold.giveBack();
    }
  }

  private void giveUp(QuorumVotes votes) {
    if (!votes.isHeldByOthers() || waitNanos == LockOptions.FOREVER) {
      fail(noMajority(votes));
    } else if (end()) {
      result.complete(Optional.empty());
      count();
    }
  }

  private StoreUnavailableException noMajority(QuorumVotes votes) {
    return new StoreUnavailableException(
        "Lock '"
            + lock.name()
            + "' has no majority: of "
            + votes.servers()
            + " servers, "
            + votes.silent()
            + " did not answer and "
            + votes.out()
            + " were started less than the longest lease ago",
        null);
  }

  private void count() {
    client.events().notAcquired(LockKind.QUORUM, lock.name(), client.nanoTime() - startNanos);
  }

  private boolean fail(Throwable failure) {
    boolean ends = end();
    if (ends) {
      result.completeExceptionally(failure);
      count();
    }
    return ends;
  }

  @Override
  public boolean cancel() {
    return fail(new CancellationException("The attempt was given up"));
  }

  @Override
  public void close() {
    fail(LockFailures.closed());
    String handle = asking;
    if (handle != null) {
      // The connections end before the votes arrive, so this request follows those for the votes.
      lock.remove(handle, lock.options().leaseMillis());
    }
  }
}
