package io.punctual.lock;

import io.punctual.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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
 * <p>A waiter asks again after a random pause, so there is no order among waiters. Immutable and
 * safe for use by many threads.
 */
public final class QuorumLocks implements AutoCloseable {
  private static final Duration USUAL_LEASE = Duration.ofSeconds(30);

  private final LockClient first;
  private final List<QuorumServer> servers;
  private final long longestMillis;
  private final CallbackExecutor threads;

  private QuorumLocks(List<QuorumServer> servers, Duration longestLease, CallbackExecutor threads) {
    this.servers = List.copyOf(servers);
    this.first = opened(servers).get(0).client();
    this.longestMillis = LockOptions.renewedLease(longestLease);
    this.threads = threads;
  }

  /**
   * Returns locks over these servers, which the caller has opened, and closes. They are
   * independent: none is a replica of another, and no Sentinels or Cluster replace one by another.
   * To start while a server is away, use {@link #open}.
   *
   * @param servers three or more, and best an odd number
   * @param longestLease the longest lease that anybody uses with these servers, 500 milliseconds to
   *     a day: for so long a server stays out after it was started
   * @throws IllegalArgumentException if two of them are the same server, or one is not independent
   */
  public static QuorumLocks of(List<RedisLocks> servers, Duration longestLease) {
    checkCount(servers.size());
    QuorumCheck.check(servers);
    return new QuorumLocks(
        servers.stream().map(QuorumServer::of).toList(), longestLease, new CallbackExecutor(null));
  }

  /**
   * Opens locks over these servers, as {@link #of} has them. A majority must be there. A minority
   * may be away: a warning is logged, and each of its servers takes part from when it is back. The
   * builders are used again then, so leave them as they are.
   *
   * @throws io.punctual.StoreUnavailableException if a majority is away
   * @throws io.punctual.PunctualException if a server that is there will not do; the message says
   *     why
   * @throws IllegalArgumentException as {@link #of}
   */
  public static QuorumLocks open(List<RedisLocksBuilder> servers, Duration longestLease) {
    checkCount(servers.size());
    CallbackExecutor threads = new CallbackExecutor(null);
    List<QuorumServer> all = new ArrayList<>();
    for (RedisLocksBuilder builder : servers) {
      String name = "Server %d of %d".formatted(all.size() + 1, servers.size());
      all.add(QuorumServer.closed(name, builder, threads, late -> checkWith(late, all)));
    }
    try {
      QuorumOpening.open(all, threads);
      QuorumCheck.check(opened(all));
      return new QuorumLocks(all, longestLease, threads);
    } catch (RuntimeException e) {
      all.forEach(QuorumServer::close);
      threads.close();
      throw e;
    }
  }

  private static void checkCount(int servers) {
    if (servers < 3) {
      throw new IllegalArgumentException(
          "A quorum needs three servers or more, but there are " + servers);
    }
  }

  private static void checkWith(RedisLocks late, List<QuorumServer> all) {
    List<RedisLocks> together = new ArrayList<>(opened(all));
    together.add(late);
    QuorumCheck.check(together);
  }

  private static List<RedisLocks> opened(List<QuorumServer> all) {
    return all.stream().map(QuorumServer::locks).filter(Objects::nonNull).toList();
  }

  /**
   * Returns the lock of this name. Its lease is 30 seconds, or the longest there is if that is
   * shorter, and is renewed while it is held.
   */
  public DistributedLock lock(String name) {
    long lease = Math.min(USUAL_LEASE.toMillis(), longestMillis);
    return new QuorumLock(
        first,
        servers,
        LockNames.check(name),
        new LockOptions(lease, true, Durability.NONE, false),
        longestMillis);
  }

  /**
   * Gives back all locks, and closes the servers that {@link #open} has opened. Does nothing for
   * locks that were made by {@link #of}.
   */
  @Override
  public void close() {
    // The first server's client gives the locks back, on the others as well.
    servers.stream().filter(server -> isFirst(server)).forEach(QuorumServer::close);
    servers.forEach(QuorumServer::close);
    threads.close();
  }

  private boolean isFirst(QuorumServer server) {
    RedisLocks locks = server.locks();
    return locks != null && locks.client() == first;
  }
}
