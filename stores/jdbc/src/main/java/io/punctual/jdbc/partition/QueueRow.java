package io.punctual.jdbc.partition;

/**
 * A queue, as a transaction finds it.
 *
 * @param id the number of the queue, which a queue that was deleted and created again does not keep
 * @param paused whether claims return nothing
 * @param nowMicros the database's clock, in microseconds from 1970
 */
record QueueRow(long id, String name, boolean paused, long nowMicros) {}
