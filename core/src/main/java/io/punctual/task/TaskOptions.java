package io.punctual.task;

import io.punctual.internal.message.Checks;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of a {@link Task} that changes messages. Immutable.
 *
 * <p>A task can continue an earlier task that was cancelled or whose process died. Its position
 * comes from the earlier task's {@link Task#progress}, or from a {@link Checkpoint}, which works
 * after a crash as well. The task needs the same filter, change and queue. It counts only its own
 * changes; changes after the last checkpoint of a process that died are in no count.
 *
 * @param perSecond the largest number of changes in a second, from 1; {@link #UNLIMITED} by default
 * @param isDryRun whether the task only counts the messages that match, and changes nothing
 * @param after the {@link TaskProgress#position} of the earlier task that the task continues; empty
 *     for a task from the beginning
 * @param checkpoint saves the progress: before the first change of each page of up to 1000
 *     messages, and, during a {@linkplain MessageChange#shift shift}, as often as it needs to
 *     continue without a second shift of any message
 */
public record TaskOptions(
    int perSecond, boolean isDryRun, Optional<String> after, Optional<Checkpoint> checkpoint) {
  /** The rate of a task without a limit. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** Changes at any rate, from the beginning, without checkpoints. */
  public static final TaskOptions DEFAULT =
      new TaskOptions(UNLIMITED, false, Optional.empty(), Optional.empty());

  /**
   * Creates options.
   *
   * @throws IllegalArgumentException if the rate is below 1
   */
  public TaskOptions {
    Checks.range(perSecond, 1, UNLIMITED, "perSecond");
    Objects.requireNonNull(after, "after");
    Objects.requireNonNull(checkpoint, "checkpoint");
  }

  /** Returns these options with a largest number of changes in a second, from 1. */
  public TaskOptions perSecond(int most) {
    return new TaskOptions(most, isDryRun, after, checkpoint);
  }

  /** Returns these options for a task that only counts the messages that match. */
  public TaskOptions dryRun() {
    return new TaskOptions(perSecond, true, after, checkpoint);
  }

  /** Returns these options for a task that continues from a {@link TaskProgress#position}. */
  public TaskOptions after(String position) {
    return new TaskOptions(perSecond, isDryRun, Optional.of(position), checkpoint);
  }

  /** Returns these options with a checkpoint. */
  public TaskOptions checkpoint(Checkpoint saving) {
    return new TaskOptions(perSecond, isDryRun, after, Optional.of(saving));
  }
}
