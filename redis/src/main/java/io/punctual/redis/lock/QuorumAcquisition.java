package io.punctual.redis.lock;

import io.punctual.StoreUnavailableException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One attempt to acquire a quorum lock: all servers are asked at once; without a majority, the lock
 * is given back on all, and they are asked again after a random pause, under another handle.
 * Thread-safe.
 */
final class QuorumAcquisition implements Pending {
  private static final long UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final QuorumLock lock;
  private final LockClient client;
  private final long waitNanos;
  private final long startNanos;
  private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();

  /** When a majority has answered last. One round at a time touches it. */
  private volatile long answeredNanos;

  private QuorumAcquisition(QuorumLock lock, long waitNanos) {
    this.lock = lock;
    this.client = lock.first();
    this.waitNanos = waitNanos;
    this.startNanos = client.nanoTime();
    this.answeredNanos = startNanos;
  }

  static QuorumAcquisition start(QuorumLock lock, long waitNanos) {
    QuorumAcquisition made = new QuorumAcquisition(lock, waitNanos);
    made.client.tally().asked();
    made.ask();
    return made;
  }

  @Override
  public CompletableFuture<Optional<LockHandle>> result() {
    return result;
  }

  private void ask() {
    if (result.isDone()) {
      return;
    }
    String handle = client.ids().next("q", lock.terms().leaseMillis());
    long sentAt = client.nanoTime();
    lock.vote(handle).thenAccept(votes -> voted(handle, votes, lock.untilNanos(sentAt)));
  }

  private void voted(String handle, Votes votes, long until) {
    if (votes.isMajority() && until - client.nanoTime() > 0) {
      finish(handle, until);
      return;
    }
    lock.remove(handle);
    long now = client.nanoTime();
    long left = waitNanos - (now - startNanos);
    if (votes.isHeldByOthers()) {
      answeredNanos = now;
    }
    boolean hopeless =
        client.isClosed()
            || (waitNanos == Acquisition.FOREVER && now - answeredNanos > UNHEARD_NANOS);
    if (hopeless || left <= 0) {
      giveUp(votes);
    } else {
      long pause = PAUSE_NANOS + client.random().nextLong(2 * PAUSE_NANOS * lock.size());
      client.after(Math.min(left, pause), this::ask);
    }
  }

  private void finish(String handle, long until) {
    QuorumHold hold = new QuorumHold(lock, handle, until);
    if (result.complete(Optional.of(hold))) {
      client.tally().acquired(LockKind.QUORUM, lock.name(), 0, client.nanoTime() - startNanos);
      client.watchdog().watch(hold);
    } else {
      lock.remove(handle);
    }
  }

  private void giveUp(Votes votes) {
    boolean isHeldByOthers = votes.isHeldByOthers() && waitNanos != Acquisition.FOREVER;
    boolean ends =
        isHeldByOthers
            ? result.complete(Optional.empty())
            : result.completeExceptionally(
                new StoreUnavailableException(
                    "Lock '"
                        + lock.name()
                        + "' has no majority: of "
                        + votes.servers()
                        + " servers, "
                        + votes.silent()
                        + " did not answer and "
                        + votes.out()
                        + " were started less than the longest lease ago",
                    null));
    if (ends) {
      count();
    }
  }

  private void count() {
    client.tally().notAcquired(LockKind.QUORUM, lock.name(), client.nanoTime() - startNanos);
  }

  @Override
  public boolean cancel() {
    boolean ends =
        result.completeExceptionally(new CancellationException("The attempt was given up"));
    if (ends) {
      count();
    }
    return ends;
  }
}
