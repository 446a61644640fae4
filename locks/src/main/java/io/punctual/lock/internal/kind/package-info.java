/**
 * The kinds of locks on one server:
 *
 * <ul>
 *   <li>{@code MutexLock}, {@code ServerSemaphore}, and {@code ServerReadWriteLock} with a {@code
 *       ServerLock} for its readers and its writers;
 *   <li>reentrant locks: {@code ReentrantMutex}, {@code OwnedMutex}, {@code OwnedMutexes} and
 *       {@code OwnedHandle};
 *   <li>Java's interfaces: {@code ThreadLock}, {@code ThreadReadWriteLock} and {@code
 *       ThreadReadWriteHolds};
 *   <li>several mutexes as one lock: {@code MultiLock}, {@code MultiAcquisition} and {@code
 *       MultiHandle};
 *   <li>latches: {@code LatchState} and {@code LatchWait}.
 * </ul>
 */
@NullMarked
package io.punctual.lock.internal.kind;

import org.jspecify.annotations.NullMarked;
