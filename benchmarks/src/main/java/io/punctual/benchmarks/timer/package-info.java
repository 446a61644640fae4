/**
 * The wheel timer beside its peers: JMH for schedule and cancel, and programs of their own for what
 * JMH does not measure, bytes and lateness. {@code TimerFigures} runs all of it.
 */
@NullMarked
package io.punctual.benchmarks.timer;

import org.jspecify.annotations.NullMarked;
