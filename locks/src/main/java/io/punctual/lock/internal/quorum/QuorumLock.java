package io.punctual.lock.internal.quorum;

import io.punctual.lock.DistributedLock;
import io.punctual.lock.LockKind;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.redis.client.request.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A lock on the majority of several servers. Immutable. */
public final class QuorumLock extends AbstractLock {
  private static final long DRIFT_PARTS = 100;
  private static final long DRIFT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  static final long SHORTEST_TIMEOUT = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_TIMEOUT = TimeUnit.SECONDS.toNanos(1);

  private final LockSession first;
  private final List<QuorumServer> servers;
  private final LockOptions options;
  private final long longestMillis;

  /**
   * Creates a lock. Its attempts and holds use the timer, the listeners and the counters of {@code
   * first}.
   */
  public QuorumLock(
      LockSession first,
      List<QuorumServer> servers,
      String name,
      LockOptions options,
      long longestMillis) {
    super(name, first.client().executor());
    this.first = first;
    this.servers = servers;
    this.options = options;
    this.longestMillis = longestMillis;
  }

  /** Returns the session whose timer, listeners and counters the attempts and holds use. */
  LockSession first() {
    return first;
  }

  int size() {
    return servers.size();
  }

  LockOptions options() {
    return options;
  }

  /**
   * Returns the time until which the client may rely on a lease that it requested at {@code
   * sentAt}.
   */
  long untilNanos(long sentAt) {
    return untilNanos(sentAt, options.leaseMillis());
  }

  static long untilNanos(long sentAt, long leaseMillis) {
    long lease = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    return sentAt + lease - lease / DRIFT_PARTS - DRIFT_NANOS;
  }

  /**
   * Requests the lock from all servers, and waits for the votes, at most for the shorter of this
   * time and the time-out of a request.
   */
  CompletableFuture<QuorumVotes> vote(String handle, long mostNanos) {
    List<byte[]> argv =
        List.of(
            LockRequests.bytes(handle),
            LockRequests.bytes(options.leaseMillis()),
            LockRequests.bytes(TimeUnit.MILLISECONDS.toSeconds(longestMillis + 999)));
    return ask(LockScripts.QUORUM, argv, Math.min(mostNanos, timeoutNanos()));
  }

  /**
   * Renews the lease.
   *
   * @param takeAgain whether a server that has lost the lock grants it again
   */
  CompletableFuture<QuorumVotes> renew(String handle, boolean takeAgain) {
    return renew(handle, options.leaseMillis(), takeAgain);
  }

  /**
   * Extends the lease to at least this length.
   *
   * @throws IllegalArgumentException if the lease is longer than the longest lease of the servers
   */
  CompletableFuture<QuorumVotes> extend(String handle, long leaseMillis) {
    checkLease(leaseMillis);
    return renew(handle, leaseMillis, false);
  }

  private void checkLease(long leaseMillis) {
    if (leaseMillis > longestMillis) {
      throw new IllegalArgumentException(
          "The longest lease of these servers is "
              + longestMillis
              + " ms, but was "
              + leaseMillis
              + " ms");
    }
  }

  private CompletableFuture<QuorumVotes> renew(String handle, long leaseMillis, boolean takeAgain) {
    List<byte[]> argv =
        List.of(
            LockRequests.bytes(handle),
            LockRequests.bytes(leaseMillis),
            LockRequests.bytes(takeAgain ? "1" : "0"));
    return ask(LockScripts.QUORUM_RENEW, argv, timeoutNanos());
  }

  /**
   * Asks all servers, in the order of the calls: a request for the lock that ran after the release
   * would leave the lock on its server until the lease ends.
   */
  private CompletableFuture<QuorumVotes> ask(Script script, List<byte[]> argv, long mostNanos) {
    return QuorumVotes.ask(
        first.client(),
        servers,
        mostNanos,
        server ->
            server
                .runInOrder(script, List.of(key(server)), argv)
                .thenApply(answer -> new LockReplyReader(answer).number()));
  }

  /**
   * Releases the lock on every server, even on servers that refused it. The requests to servers
   * that do not reply continue after this future has completed.
   */
  CompletableFuture<QuorumVotes> remove(String handle, long leaseMillis) {
    return QuorumVotes.ask(
        first.client(),
        servers,
        timeoutNanos(),
        server -> QuorumReleaseRequest.send(server, key(server), handle, leaseMillis));
  }

  private byte[] key(LockClient server) {
    return server.keys(LockKind.QUORUM, name()).held();
  }

  private long timeoutNanos() {
    long part = TimeUnit.MILLISECONDS.toNanos(options.leaseMillis()) / 20;
    return Math.max(SHORTEST_TIMEOUT, Math.min(LONGEST_TIMEOUT, part));
  }

  @Override
  public PendingAcquisition ask(long waitNanos) {
    return QuorumAcquisition.start(this, waitNanos);
  }

  @Override
  public DistributedLock withLease(Duration lease) {
    LockOptions own = options.withLease(lease);
    checkLease(own.leaseMillis());
    return new QuorumLock(first, servers, name(), own, longestMillis);
  }

  @Override
  public DistributedLock withReplicas(int replicas) {
    throw new UnsupportedOperationException("The servers of a quorum lock have no replicas");
  }

  @Override
  public DistributedLock withAllReplicas() {
    return withReplicas(0);
  }
}
