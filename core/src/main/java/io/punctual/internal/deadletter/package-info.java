/**
 * The dead letters of a queue: lists, groups, tasks that redrive or delete them, and the retention.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>{@code ClientDeadLetters}: all operations for users;
 *   <li>reads: {@code DeadLetterScan}, {@code DeadLetterGrouping};
 *   <li>tasks: {@code DeadLetterTargets};
 *   <li>deletion of old dead letters: {@code RetentionLoop}, {@code RetentionRun};
 *   <li>{@code Pace}: the rate of a task or of a retention.
 * </ul>
 */
@NullMarked
package io.punctual.internal.deadletter;

import org.jspecify.annotations.NullMarked;
