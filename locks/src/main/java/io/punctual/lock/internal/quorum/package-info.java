/**
 * Locks on a majority of independent servers. {@code QuorumOpening} opens each {@code
 * QuorumServer}, and {@code QuorumCheck} checks that they are independent. A {@code QuorumLock}
 * asks all servers for their {@code QuorumVotes}: for a {@code QuorumAcquisition}, and to renew or
 * extend a {@code QuorumHold}. {@code QuorumReleaseRequest} releases a handle on one server.
 */
@NullMarked
package io.punctual.lock.internal.quorum;

import org.jspecify.annotations.NullMarked;
