/** Distributed locks beside one another, free and fought for, on one Redis server. */
@NullMarked
package io.punctual.benchmarks.locks;

import org.jspecify.annotations.NullMarked;
