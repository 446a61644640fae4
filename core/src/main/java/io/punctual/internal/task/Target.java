package io.punctual.internal.task;

/**
 * A message that a task is to change.
 *
 * @param timeMillis the time that orders the visit of the task, in milliseconds from 1970
 */
public record Target(String id, long timeMillis) {}
