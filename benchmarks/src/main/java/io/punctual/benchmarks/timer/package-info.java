/**
 * The wheel timer beside its peers: JMH for schedule and cancel, and processes of their own for
 * what JMH does not measure: bytes, lateness, herds and idleness.
 */
@NullMarked
package io.punctual.benchmarks.timer;

import org.jspecify.annotations.NullMarked;
