/**
 * Processes that tests start: classes in a child JVM ({@link io.punctual.kit.process.JavaProcess}),
 * servers ({@link io.punctual.kit.process.ServerProcess}), and programs that end by themselves
 * ({@link io.punctual.kit.process.Command}). Failures contain the output of the process.
 */
@NullMarked
package io.punctual.kit.process;

import org.jspecify.annotations.NullMarked;
