/**
 * The cost of a call to the memory store with few and with many pending messages, and the cost of
 * meters, observations and Spring listeners.
 */
@NullMarked
package io.punctual.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
