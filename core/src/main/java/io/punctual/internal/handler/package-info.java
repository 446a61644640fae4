/**
 * The calls of handlers: their threads, the leases of their messages while they run, and their
 * ends.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>calls: {@code Handlers} with a {@code HandlerRun} for each call, {@code HandlerCall},
 *       {@code HandlerStage};
 *   <li>calls of the dead handler: {@code DeadCall};
 *   <li>leases during a call: {@code LeaseKeeper}; {@code CommitProbe} after a settlement in a
 *       transaction;
 *   <li>threads: {@code HandlerThreads}, {@code HandlerPool}; {@code InterruptibleCall}, {@code
 *       StartWatch}.
 * </ul>
 */
@NullMarked
package io.punctual.internal.handler;

import org.jspecify.annotations.NullMarked;
