/**
 * Meters and observations by Micrometer.
 *
 * <p>{@link io.punctual.micrometer.PunctualMeters} counts the events of a client and measures its
 * queues, workers and store. {@link io.punctual.micrometer.PunctualObservations} observes schedules
 * and handlers, for timers and traces; {@link io.punctual.micrometer.PunctualTimers} records only
 * the timers. {@link io.punctual.micrometer.PunctualLockMeters} counts the events of distributed
 * locks. By default, no id, lock name or text of an exception is a tag of a meter.
 */
@NullMarked
package io.punctual.micrometer;

import org.jspecify.annotations.NullMarked;
