package io.punctual.lock;

import io.punctual.Durability;
import io.punctual.lock.internal.client.CallbackExecutor;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.quorum.QuorumCheck;
import io.punctual.lock.internal.quorum.QuorumLock;
import io.punctual.lock.internal.quorum.QuorumOpening;
import io.punctual.lock.internal.quorum.QuorumServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Locks on a majority of independent servers, with the algorithm known as Redlock: a lock is
 * acquired when more than half of the servers have granted it within its lease. It is held for the
 * lease, less the time of the acquisition and an allowance for clocks that run at different speeds.
 *
 * <p><b>Protects from:</b> the loss of any minority of the servers and of their data, at any time.
 *
 * <p><b>Does not protect from:</b>
 *
 * <ul>
 *   <li>a holder that is paused beyond its lease and then continues, as with every lock that has a
 *       lease; there is <em>no fencing token</em> to detect it, because counters of independent
 *       servers cannot be compared;
 *   <li>a server's clock that jumps;
 *   <li>the loss of data on more than a minority of the servers within a lease.
 * </ul>
 *
 * <p>If a resource must stay consistent, a {@linkplain RedisLocks#mutex mutex} on a server with
 * replicas, together with a resource that checks the fencing token, is simpler and safer.
 *
 * <p>A server may have lost its locks in a restart, so it grants no lock until its uptime exceeds
 * the longest lease. It cannot detect that its data was deleted while it runs, so never delete the
 * data of a running server.
 *
 * <p>A waiter asks again after a random pause, so there is no order among waiters. Immutable and
 * safe for use by many threads.
 */
public final class QuorumLocks implements AutoCloseable {
  private static final Duration USUAL_LEASE = Duration.ofSeconds(30);

  private final LockSession first;
  private final List<QuorumServer> servers;
  private final long longestMillis;
  private final CallbackExecutor threads;

  private QuorumLocks(List<QuorumServer> servers, Duration longestLease, CallbackExecutor threads) {
    this.servers = List.copyOf(servers);
    this.first = opened(servers).get(0);
    this.longestMillis = LockOptions.renewedLease(longestLease);
    this.threads = threads;
  }

  /**
   * Returns locks on these servers. The caller has opened the servers, and must close them. They
   * must be independent: without replication between them, and without Sentinels or a Cluster. To
   * start while a server is unavailable, use {@link #open}.
   *
   * @param servers three or more servers, preferably an odd number
   * @param longestLease the longest lease that any client uses with these servers, 500 milliseconds
   *     to a day; a server grants no lock for this time after its start
   * @throws IllegalArgumentException if there are fewer than three servers, if a server is in the
   *     list twice or is not independent, or if the lease is out of range
   */
  public static QuorumLocks of(List<RedisLocks> servers, Duration longestLease) {
    checkCount(servers.size());
    List<LockSession> opened = servers.stream().map(RedisLocks::session).toList();
    QuorumCheck.check(opened);
    return new QuorumLocks(
        opened.stream().map(QuorumServer::of).toList(), longestLease, new CallbackExecutor(null));
  }

  /**
   * Opens locks on these servers, with the rules of {@link #of}. A majority must be available. If a
   * minority is unavailable, a warning is logged, and each of these servers takes part once a later
   * request finds that it is available. The builders are used again at that time, so do not change
   * them.
   *
   * @throws io.punctual.StoreUnavailableException if no majority is available
   * @throws io.punctual.PunctualException if an available server is not suitable; the message names
   *     the reason
   * @throws IllegalArgumentException as in {@link #of}, or if a builder has a lease or a durability
   */
  public static QuorumLocks open(List<RedisLocksBuilder> servers, Duration longestLease) {
    checkCount(servers.size());
    servers.forEach(RedisLocksBuilder::checkForQuorum);
    CallbackExecutor threads = new CallbackExecutor(null);
    List<QuorumServer> all = new ArrayList<>();
    for (RedisLocksBuilder builder : servers) {
      String name = String.format(Locale.ROOT, "Server %d of %d", all.size() + 1, servers.size());
      all.add(
          QuorumServer.closed(name, builder::openSession, threads, late -> checkWith(late, all)));
    }
    try {
      QuorumOpening.open(all, threads);
      QuorumCheck.check(opened(all));
      return new QuorumLocks(all, longestLease, threads);
    } catch (Throwable e) {
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

  private static void checkWith(LockSession late, List<QuorumServer> all) {
    List<LockSession> together = new ArrayList<>(opened(all));
    together.add(late);
    QuorumCheck.check(together);
  }

  private static List<LockSession> opened(List<QuorumServer> all) {
    return all.stream().map(QuorumServer::session).filter(Objects::nonNull).toList();
  }

  /**
   * Returns the lock of this name. Its lease is 30 seconds, or the longest lease if that is
   * shorter, and is renewed while it is held.
   */
  public DistributedLock lock(String name) {
    long lease = Math.min(USUAL_LEASE.toMillis(), longestMillis);
    return new QuorumLock(
        first,
        servers,
        LockKeys.checkName(name),
        new LockOptions(lease, true, Durability.NONE, false),
        longestMillis);
  }

  /**
   * Releases the locks and closes the servers, if {@link #open} opened these servers. If {@link
   * #of} received them, this method releases and closes nothing, because the caller closes the
   * servers.
   */
  @Override
  public void close() {
    // This server is closed first, because its client releases the locks on all servers.
    servers.stream().filter(server -> server.session() == first).forEach(QuorumServer::close);
    servers.forEach(QuorumServer::close);
    threads.close();
  }
}
