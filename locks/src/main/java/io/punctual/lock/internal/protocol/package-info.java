/**
 * The protocol between the clients of locks and the server: the names of {@code LockKeys}, the ids
 * of {@code HandleIds}, the {@code LockScripts}, and their {@code LockReply}, which {@code
 * LockReplyReader} reads. {@code ServerHandle} names a handle of a lock with its {@code
 * LockOptions}; {@code HandOver} has the limits that scripts and clients share.
 *
 * <p>Most changes of a lock are Lua scripts. The script that acquires an exclusive lock begins with
 * {@code acquirefree.lua}, which grants a free lock without waiters, and continues with {@code
 * acquire.lua} in all other cases. The script that releases a lock also grants it to the next
 * waiter.
 */
@NullMarked
package io.punctual.lock.internal.protocol;

import org.jspecify.annotations.NullMarked;
