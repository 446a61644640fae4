package io.punctual.redis.lock;

import io.punctual.Durability;
import java.time.Duration;
import java.util.List;

/**
 * Locks that are held on a majority of independent servers, after the algorithm known as Redlock: a
 * lock is acquired when more than half of the servers gave it within its lease, and is then held
 * for the lease, less the time that acquiring took and an allowance for clocks that run at
 * different speeds.
 *
 * <p><b>What it protects from:</b> the loss of any minority of the servers, for good or with all
 * that they knew, at any time.
 *
 * <p><b>What it does not protect from:</b> a holder that is paused beyond its lease and then goes
 * on, as with every lock that has a lease; and there is <em>no fencing token</em> to catch that,
 * since counters of independent servers do not compare. A server's clock that jumps. More servers
 * than a minority that lose their data within one lease. If a resource must not suffer, a
 * {@linkplain RedisLocks#mutex mutex} on one server with replicas, and a resource that checks its
 * fencing token, are simpler and safer.
 *
 * <p>A server that was started may have forgotten to whom it gave locks, so it stays out until the
 * longest lease there can be is over; by its own clock and start time. It can't tell that its data
 * was deleted while it runs: never do that.
 *
 * <p>Who waits asks again after a random pause, so there is no order among waiters. Immutable and
 * safe for use by many threads.
 */
public final class QuorumLocks {
  private static final Duration USUAL_LEASE = Duration.ofSeconds(30);

  private final List<LockClient> servers;
  private final long longestMillis;

  private QuorumLocks(List<LockClient> servers, long longestMillis) {
    this.servers = servers;
    this.longestMillis = longestMillis;
  }

  /**
   * Returns locks over these servers, which are independent: none is a replica of another.
   *
   * @param servers three or more, and best an odd number; they stay the caller's to close
   * @param longestLease the longest lease that anybody uses with these servers, 500 milliseconds to
   *     a day: for so long a server stays out after it was started
   */
  public static QuorumLocks of(List<RedisLocks> servers, Duration longestLease) {
    if (servers.size() < 3) {
      throw new IllegalArgumentException(
          "A quorum needs three servers or more, but there are " + servers.size());
    }
    return new QuorumLocks(
        servers.stream().map(RedisLocks::client).toList(), Terms.renewedLease(longestLease));
  }

  /**
   * Returns the lock of this name. Its lease is 30 seconds, or the longest there is if that is
   * shorter, and is renewed while it is held.
   */
  public DistributedLock lock(String name) {
    long lease = Math.min(USUAL_LEASE.toMillis(), longestMillis);
    return new QuorumLock(
        servers,
        LockNames.check(name),
        new Terms(lease, true, Durability.NONE, false),
        longestMillis);
  }
}
