/**
 * Tasks: work of a client in the background, with progress and cancel. A task changes many messages
 * at a limited rate, or groups dead letters: see {@link io.punctual.TimedQueue#change} and {@link
 * io.punctual.deadletter.DeadLetters}.
 */
@NullMarked
package io.punctual.task;

import org.jspecify.annotations.NullMarked;
