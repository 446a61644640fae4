/** The memory store by itself: what a call costs, with few messages pending and with many. */
@NullMarked
package io.punctual.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
