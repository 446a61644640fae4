package io.punctual.lock;

import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock that many readers hold together, or a single writer alone. Waiters are served in the order
 * of arrival: a reader that comes after a waiting writer waits behind it, and readers next to each
 * other in the line get it together, so that neither side starves. The fencing tokens of readers
 * and writers come from one sequence.
 *
 * <p>A writer can become a reader while all other writers stay excluded ({@link #downgrade}). A
 * reader can't become a writer, since two readers would wait for each other: release the read lock,
 * acquire the write lock, and read again. The locks cannot check this, since a handle has no owner:
 * a process that holds a read handle and acquires the write lock waits for its own handle, for ever
 * if it is renewed. Only {@link #asReadWriteLock} knows its threads, and refuses. Immutable and
 * safe for use by many threads.
 */
public interface DistributedReadWriteLock {
  /** Returns the name. */
  String name();

  /** Returns the lock of readers. */
  DistributedLock read();

  /** Returns the lock of writers. */
  DistributedLock write();

  /**
   * Turns a write lock into a read lock with the same fencing token; the write handle is then given
   * back, and readers that wait get in.
   *
   * @return the read handle; empty if the write lock was lost, or given back
   * @throws IllegalArgumentException if the handle is not a write handle of this lock
   * @throws io.punctual.PunctualException if the server can't be asked; the handle is then given
   *     back
   */
  Optional<LockHandle> downgrade(LockHandle write);

  /**
   * Returns this lock as Java's interface, held by threads, and reentrant. A thread that has the
   * write lock can lock the read lock as well, and keeps the read lock when it unlocks the write
   * lock. A thread that has only the read lock does not get the write lock: {@code tryLock} returns
   * false at once, and {@code lock} throws an {@link IllegalMonitorStateException}. Losses as with
   * {@link ExclusiveLock#asLock}.
   */
  ReadWriteLock asReadWriteLock();
}
