/**
 * Tasks: work on many messages in the background of a client.
 *
 * <p>{@code ClientTask} runs the {@code TaskSteps} of any task. {@code ChangeSteps} are the steps
 * that change the messages of a {@code TargetSource} at a {@code Pace}. {@code WaitingTargets} are
 * the waiting messages of a filter.
 */
@NullMarked
package io.punctual.internal.task;

import org.jspecify.annotations.NullMarked;
