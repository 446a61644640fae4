/**
 * Acquired locks. A handle is what the user has, and its id on the server; a hold is an acquired
 * lock with its lease; a grant is what the server gave. A {@code Hold} has a {@code LockLease},
 * which the {@code Watchdog} renews. A {@code ServerHold} is a lock on one server, and has a {@code
 * Grant}, under which its handle holds the lock, perhaps for several holders in turn. {@code
 * ReleaseRequest} ends the grant. {@code AbstractHandle} has the methods of all handles. {@code
 * LockSession} is an open client with its holds, and closes them.
 */
@NullMarked
package io.punctual.lock.internal.hold;

import org.jspecify.annotations.NullMarked;
