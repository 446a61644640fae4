package io.punctual.lock;

import io.punctual.lock.internal.attempt.Attempts;
import io.punctual.lock.internal.client.LockAdmin;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.kind.MultiLock;
import io.punctual.lock.internal.kind.MutexLock;
import io.punctual.lock.internal.kind.OwnedMutexes;
import io.punctual.lock.internal.kind.ReentrantMutex;
import io.punctual.lock.internal.kind.ServerReadWriteLock;
import io.punctual.lock.internal.kind.ServerSemaphore;
import io.punctual.lock.internal.kind.ThreadReadWriteHolds;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Distributed locks on a Redis or Valkey server, for all processes with the same server, database
 * and namespace.
 *
 * <pre>{@code
 * RedisLocks locks = RedisLocks.open("redis://localhost:6379");
 * try (LockHandle lock = locks.mutex("invoice:42").acquire()) {
 *   ledger.write(row, lock.fencingToken());
 * }
 * }</pre>
 *
 * <p>A lock has a lease, 30 seconds by default. While its {@linkplain LockHandle handle} is held
 * and this process runs, the lease is renewed each time a third of its length has passed. A lease
 * of {@link DistributedLock#withLease} is never renewed. The script that releases a lock also
 * grants it to the next waiter.
 *
 * <p>Names are 1 to 256 bytes of UTF-8 without control characters. Locks of different {@linkplain
 * LockKind kinds} are independent, even under the same name; mutex, fair and reentrant locks are of
 * the same kind.
 *
 * <p>Uses up to three connections to each server, created on demand. Safe for use by many threads.
 * {@link #close} releases all locks that were acquired through this object.
 */
public final class RedisLocks implements AutoCloseable {
  private static final int MOST_NAMES = 100;

  private final LockSession session;
  private final LockClient client;
  private final Attempts attempts;
  private final OwnedMutexes owned;
  private final ThreadReadWriteHolds threads = new ThreadReadWriteHolds();
  private final LockOptions options;

  RedisLocks(LockSession session, Duration lease) {
    this.session = session;
    this.client = session.client();
    this.attempts = Attempts.of(session.watchdog());
    this.owned = new OwnedMutexes(client);
    this.options = client.options(lease);
  }

  /**
   * Connects to the deployment at a URL in the form of the Redis store.
   *
   * @throws io.punctual.PunctualException if the deployment cannot be reached or is not suitable;
   *     the message names the remedy
   * @throws IllegalArgumentException if the URL is wrong; the message names the wrong part
   */
  public static RedisLocks open(String url) {
    return builder().url(url).open();
  }

  /** Returns a builder of locks on {@code redis://localhost:6379}. */
  public static RedisLocksBuilder builder() {
    return new RedisLocksBuilder();
  }

  LockSession session() {
    return session;
  }

  Attempts attempts() {
    return attempts;
  }

  /**
   * Returns the mutex of this name, which at most one handle holds at a time.
   *
   * <p>Waiters get the lock roughly in the order of arrival. Each client queues once on the server
   * on behalf of all its local waiters. While a client holds the lock, it may pass the lock between
   * its own waiters, in their order, without a request to the server. After 16 acquisitions or 100
   * milliseconds, the lock goes to the next client that waits. So every waiter gets its turn,
   * however many threads the other processes have. Locks with a lease of fixed length, and locks
   * that replicas confirm, take turns in the same way, but with a script for each acquisition.
   */
  public ExclusiveLock mutex(String name) {
    return mutex(name, HandleIds.PUSHING);
  }

  /**
   * Returns the mutex of this name, which is granted strictly in the order of arrival at the
   * server. A waiter that has died delays the waiters behind it by up to 2 seconds.
   */
  public ExclusiveLock fair(String name) {
    return mutex(name, HandleIds.FAIR);
  }

  private MutexLock mutex(String name, String mode) {
    return new MutexLock(attempts, owned, client.keys(LockKind.MUTEX, name), mode, options);
  }

  /** Returns the mutex of this name, which its owner can enter again. */
  public OwnedLock reentrant(String name) {
    return new ReentrantMutex(owned, mutex(name, HandleIds.PUSHING), null);
  }

  /** Returns the read-write lock of this name. */
  public DistributedReadWriteLock readWrite(String name) {
    return new ServerReadWriteLock(
        attempts, threads, client.keys(LockKind.READ_WRITE, name), options);
  }

  /**
   * Returns the semaphore of this name. Each acquisition takes a permit, or {@linkplain
   * DistributedSemaphore#withPermits several}, under a lease, so the permits of a crashed process
   * become free when the lease ends. Permits are granted in the order of arrival, and have no
   * fencing tokens.
   *
   * @param permits the number of permits, 1 to 10,000, in addition to {@linkplain
   *     DistributedSemaphore#addPermits added} permits; each acquisition is checked against the
   *     number of its own client, so all clients should use the same number
   */
  public DistributedSemaphore semaphore(String name, int permits) {
    return new ServerSemaphore(
        attempts,
        client.keys(LockKind.SEMAPHORE, name),
        ServerSemaphore.check(permits),
        1,
        options);
  }

  /**
   * Returns the mutexes of these names as a single lock: all of them or none. Every client acquires
   * them in the order of their names, so two such acquisitions never wait for each other.
   *
   * @param names 1 to 100 names; a repeated name counts once
   */
  public DistributedLock multi(Collection<String> names) {
    List<MutexLock> locks = new ArrayList<>();
    for (String name : new TreeSet<>(names)) {
      locks.add(mutex(name, HandleIds.PUSHING));
    }
    if (locks.isEmpty() || locks.size() > MOST_NAMES) {
      throw new IllegalArgumentException(
          "Several locks are 1 to " + MOST_NAMES + ", but were " + locks.size());
    }
    return new MultiLock(client, locks);
  }

  /** Returns the count-down latch of this name, which all clients share. A latch is not a lock. */
  public DistributedLatch latch(String name) {
    return new DistributedLatch(client, LockKeys.checkName(name));
  }

  /** Returns the counters since the locks were opened. */
  public LockCounters counters() {
    return client.events().counters();
  }

  /**
   * Returns held locks of a kind, in no order. Scans the keys of the database, a thousand at a
   * time, until it has found enough locks, so it is meant for operators and not for programs.
   *
   * @param limit the maximum number of locks
   */
  public List<LockInfo> list(LockKind kind, int limit) {
    return new LockAdmin(client).list(kind, limit);
  }

  /** Returns a lock as the server knows it; empty if it has no holder and no waiter. */
  public Optional<LockInfo> find(LockKind kind, String name) {
    return new LockAdmin(client).find(kind, name);
  }

  /**
   * Releases a lock by force. The server grants it to the next waiters, if it has a line of waiters
   * for this kind. A former holder notices the loss at its next renewal or at the end of its lease;
   * until then its handle reports that the lock is held.
   *
   * @return how many handles lost the lock, counted up to 1000
   */
  public int forceRelease(LockKind kind, String name) {
    return new LockAdmin(client).force(kind, name);
  }

  /**
   * Releases all locks, ends all waits, and closes the connections. Waits up to two seconds for the
   * replies; a lock without a reply ends with its lease.
   */
  @Override
  public void close() {
    session.close();
  }
}
