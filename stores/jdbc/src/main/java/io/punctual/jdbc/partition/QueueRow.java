package io.punctual.jdbc.partition;

import io.punctual.QueueLimits;

/**
 * A queue in the database.
 *
 * @param id the number of the queue; a queue that is deleted and created again gets a new number
 * @param paused whether the queue is paused, so that claims return no messages
 * @param nowMicros the time of the database's clock, in microseconds from 1970
 * @param limits the limits of the queue's claims
 */
record QueueRow(long id, String name, boolean paused, long nowMicros, QueueLimits limits) {}
