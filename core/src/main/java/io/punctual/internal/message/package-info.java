/**
 * The parts of a message and their stored forms, and the checks of a user's arguments.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>arguments: {@code Checks}, {@code NewPayload};
 *   <li>failures: {@code FailureLog}, {@code FailureSummary}, {@code FailureOrigin}, {@code
 *       DeadLetterMatch}; {@code DataBytes} reads their bytes;
 *   <li>recurrences: {@code Recurrences}, {@code Timetables}, and their stored forms {@code
 *       RecurrenceHeaders} and {@code RecurrenceText};
 *   <li>other stored forms: {@code RememberHeader}, {@code DeliveryToken}.
 * </ul>
 */
@NullMarked
package io.punctual.internal.message;

import org.jspecify.annotations.NullMarked;
