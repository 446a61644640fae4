/**
 * Manual claims: messages for callers that ask for them, without a worker.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>a claim: {@code ManualClaim} with its {@code ClaimCaller} and {@code ClaimResult};
 *   <li>claims that wait for a partition: {@code ClaimLine} and {@code ClaimLines}, {@code
 *       ClaimPrefetch};
 *   <li>the two modes of a claim: {@code ClaimMode}, {@code AtLeastOnce}, {@code AtMostOnce}.
 *       {@code PutBack} and {@code Rejects} return the messages of at-most-once claims to the
 *       queue;
 *   <li>calls of the dead handler: {@code ManualDeadCalls}.
 * </ul>
 */
@NullMarked
package io.punctual.internal.claim;

import org.jspecify.annotations.NullMarked;
