/** Distributed locks compared on the same Redis server, with and without contention. */
@NullMarked
package io.punctual.benchmarks.locks;

import org.jspecify.annotations.NullMarked;
