package io.punctual.lock;

import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock that several readers, or a single writer, can hold. Waiters get the lock in the order of
 * arrival: a reader that arrives after a waiting writer waits behind the writer, and adjacent
 * readers in the line get the lock together. So neither readers nor writers starve. The fencing
 * tokens of readers and writers come from one sequence.
 *
 * <p>A writer can become a reader without letting a different writer in between ({@link
 * #downgrade}). A reader can't become a writer, because two readers would wait for each other:
 * release the read lock, acquire the write lock, and read again. The locks cannot check this,
 * because a handle has no owner: a process that holds a read handle and acquires the write lock
 * waits for its own handle, without end if the handle is renewed. Only the locks of {@link
 * #asReadWriteLock} know their threads, and refuse the write lock to such a reader. Immutable and
 * safe for use by many threads.
 */
public interface DistributedReadWriteLock {
  /** Returns the name. */
  String name();

  /** Returns the lock for readers. */
  DistributedLock read();

  /** Returns the lock for writers. */
  DistributedLock write();

  /**
   * Turns a write lock into a read lock with the same fencing token. The write handle counts as
   * released, and the readers at the head of the line get the lock.
   *
   * @return the read handle; empty if the write lock was lost or released
   * @throws IllegalArgumentException if the handle is not a write handle of this lock
   * @throws io.punctual.PunctualException if the request fails; the write lock is then released
   */
  Optional<LockHandle> downgrade(LockHandle write);

  /**
   * Returns this lock as Java's interface, held by threads, and reentrant. A thread that has the
   * write lock can lock the read lock as well, and keeps the read lock when it unlocks the write
   * lock. A thread that has only the read lock does not get the write lock: {@code tryLock} returns
   * false at once, and {@code lock} throws an {@link IllegalMonitorStateException}. A lost lock has
   * the same effects as in {@link ExclusiveLock#asLock}.
   */
  ReadWriteLock asReadWriteLock();
}
