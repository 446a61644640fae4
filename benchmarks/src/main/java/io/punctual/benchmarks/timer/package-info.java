/**
 * The wheel timer compared with its peers: JMH for schedule and cancel, and separate processes for
 * bytes, lateness, bursts and idle use.
 */
@NullMarked
package io.punctual.benchmarks.timer;

import org.jspecify.annotations.NullMarked;
