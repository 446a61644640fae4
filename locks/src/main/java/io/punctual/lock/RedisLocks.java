package io.punctual.lock;

import io.punctual.redis.client.Deployment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * Distributed locks on a Redis or Valkey server, for all processes that name the same server,
 * database and namespace.
 *
 * <pre>{@code
 * RedisLocks locks = RedisLocks.open("redis://localhost:6379");
 * try (LockHandle lock = locks.mutex("invoice:42").acquire()) {
 *   ledger.write(row, lock.fencingToken());
 * }
 * }</pre>
 *
 * <p>A lock has a lease, 30 seconds by default, which is renewed every third of it for as long as
 * its {@linkplain LockHandle handle} is held, and ends with this process. A lease that was asked
 * for with {@link DistributedLock#withLease} is never renewed. A release grants the lock to the
 * next waiter in the same script.
 *
 * <p>Names are 1 to 256 bytes of UTF-8 without control characters. Locks of different {@linkplain
 * LockKind kinds} do not meet, even if they have the same name; mutex, fair and reentrant are one
 * kind.
 *
 * <p>Uses three connections at most, which are made when they are needed. Safe for use by many
 * threads. Closing it gives back all locks that it holds.
 */
public final class RedisLocks implements AutoCloseable {
  private static final int MOST_NAMES = 100;
  private static final long CLOSE_MILLIS = 2_000;

  private final LockClient client;
  private final LockOptions terms;

  RedisLocks(LockClient client, Duration lease) {
    this.client = client;
    this.terms = client.terms(lease);
  }

  /**
   * Connects to the deployment at a URL, as a Redis store has it.
   *
   * @throws io.punctual.PunctualException if it can't be reached or won't do; the message says what
   *     to do
   * @throws IllegalArgumentException if the URL is wrong; the message says where
   */
  public static RedisLocks open(String url) {
    return builder().url(url).open();
  }

  /** Returns a builder of locks on {@code redis://localhost:6379}. */
  public static RedisLocksBuilder builder() {
    return new RedisLocksBuilder();
  }

  LockClient client() {
    return client;
  }

  Deployment deployment() {
    return client.deployment();
  }

  /**
   * Returns the mutex of this name: one handle has it at a time.
   *
   * <p>Waiters get the lock roughly in the order of arrival. Each client queues once on the server
   * on behalf of all its local waiters. While a client holds the lock, it may pass it between its
   * own waiters, in their order, without a request to the server: up to 16 acquisitions or a tenth
   * of a second, then it is the next client's turn. So every waiter gets its turn, however many
   * threads another process has. Locks with a lease of the caller's own take turns in the same way,
   * by a script for each acquisition; so do locks that replicas confirm.
   */
  public ExclusiveLock mutex(String name) {
    return mutex(name, MutexLock.PUSHING);
  }

  /**
   * Returns the mutex of this name, handed out strictly in the order of arrival at the server. A
   * waiter that has died delays the waiters behind it by 2 seconds at most.
   */
  public ExclusiveLock fair(String name) {
    return mutex(name, MutexLock.FAIR);
  }

  private MutexLock mutex(String name, String mode) {
    return new MutexLock(client, client.place(LockKind.MUTEX, name), mode, terms);
  }

  /** Returns the mutex of this name, which its owner can enter again. */
  public OwnedLock reentrant(String name) {
    return new ReentrantMutex(client, mutex(name, MutexLock.PUSHING), null);
  }

  /** Returns the read-write lock of this name. */
  public DistributedReadWriteLock readWrite(String name) {
    return new ServerReadWriteLock(client, client.place(LockKind.READ_WRITE, name), terms);
  }

  /**
   * Returns the semaphore of this name. Each acquisition takes one permit, or {@linkplain
   * DistributedSemaphore#withPermits more}, under a lease: a process that crashes gives it back
   * when the lease runs out. Permits are handed out in the order of arrival, and have no fencing
   * tokens, since several are held at a time.
   *
   * @param permits how many there are, 1 to 10,000, beside those that were {@linkplain
   *     DistributedSemaphore#addPermits added}; each acquisition is judged by the number that it
   *     was asked with, so let all use the same
   */
  public DistributedSemaphore semaphore(String name, int permits) {
    return new ServerSemaphore(
        client, client.place(LockKind.SEMAPHORE, name), ServerSemaphore.check(permits), 1, terms);
  }

  /**
   * Returns the mutexes of these names as one lock: all of them or none. They are acquired in the
   * order of their names, so two callers never wait for each other.
   *
   * @param names 1 to 100; one that comes twice counts once
   */
  public DistributedLock multi(Collection<String> names) {
    List<MutexLock> locks = new ArrayList<>();
    for (String name : new TreeSet<>(names)) {
      locks.add(mutex(name, MutexLock.PUSHING));
    }
    if (locks.isEmpty() || locks.size() > MOST_NAMES) {
      throw new IllegalArgumentException(
          "Several locks are 1 to " + MOST_NAMES + ", but were " + locks.size());
    }
    return new MultiLock(client, locks);
  }

  /** Returns the count-down latch of this name. Latches of one name are one, and no lock. */
  public DistributedLatch latch(String name) {
    return new DistributedLatch(client, LockNames.check(name));
  }

  /** Returns the simple token lock of this name. */
  public SimpleLock simple(String name) {
    return new SimpleLock(client, client.place(LockKind.SIMPLE, name));
  }

  /** Returns the counters since the locks were opened. */
  public LockCounters counters() {
    return client.tally().counters();
  }

  /**
   * Returns locks of a kind that are held, in no order. Walks over all keys of the database, a
   * thousand at a time: for people, not for programs.
   *
   * @param limit how many at most
   */
  public List<LockInfo> list(LockKind kind, int limit) {
    return new LockAdmin(client).list(kind, limit);
  }

  /** Returns a lock as it is on the server; empty if it has no holder and no waiter. */
  public Optional<LockInfo> find(LockKind kind, String name) {
    return new LockAdmin(client).find(kind, name);
  }

  /**
   * Releases a lock by force, and grants it to the next waiter. A former holder notices the loss at
   * its next renewal; until then its handle counts as held.
   *
   * @return from how many handles it was taken
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
    if (!client.close()) {
      return;
    }
    client.room().close();
    client.latches().close();
    client.card().close();
    CompletableFuture<?>[] back =
        client.watchdog().holds().stream().map(Hold::giveBack).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(back).get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // The events of these locks report it.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      client.deployment().close();
      client.executor().close();
    }
  }

  /** The usual source of randomness for ids and pauses. */
  static RandomGenerator random() {
    return new java.security.SecureRandom();
  }
}
