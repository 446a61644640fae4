/**
 * Attempts to acquire a lock on one server:
 *
 * <ul>
 *   <li>{@code AbstractLock} starts an attempt and waits for its {@code PendingAcquisition};
 *   <li>{@code Attempts} starts the attempts of a client, and sends their requests;
 *   <li>{@code Acquisition} is the state machine of an attempt, with the parts {@code Attempt},
 *       {@code AttemptState}, {@code AttemptTimers}, {@code WaiterState} and {@code
 *       GrantConfirmation};
 *   <li>attempts of one client for the same mutex form a {@code Cohort}, which {@code Cohorts}
 *       finds.
 * </ul>
 */
@NullMarked
package io.punctual.lock.internal.attempt;

import org.jspecify.annotations.NullMarked;
