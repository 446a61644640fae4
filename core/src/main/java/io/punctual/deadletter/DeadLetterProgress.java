package io.punctual.deadletter;

/**
 * The counts of a {@link DeadLetterTask}.
 *
 * @param examined the dead letters that the task has read
 * @param matched the examined dead letters that match the filter
 * @param changed the dead letters that were redriven or deleted
 * @param gone the dead letters that matched, but were no longer dead when the task tried to change
 *     them. A change whose reply was lost in an outage can count here.
 * @param refused the dead letters that the store refused to change; the log has the first reasons
 * @param cancelled whether the task was cancelled, or its client was closed
 */
public record DeadLetterProgress(
    long examined, long matched, long changed, long gone, long refused, boolean cancelled) {}
