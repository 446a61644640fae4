/** The memory store alone: the cost of a call with few and with many pending messages. */
@NullMarked
package io.punctual.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
