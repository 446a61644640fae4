/**
 * Runs in which producers schedule the same ids again and again, with {@link
 * io.punctual.Message#rememberFor}. Producers and workers are processes that a test kills, while
 * the test injects faults into the store ({@link io.punctual.kit.repeat.RepeatRun}).
 */
@NullMarked
package io.punctual.kit.repeat;

import org.jspecify.annotations.NullMarked;
