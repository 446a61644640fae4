package io.punctual.migration.copy;

import java.util.List;

/**
 * The result of the copy of a queue.
 *
 * @param queue the queue's name
 * @param messages the number of messages that were read from the source, without messages that were
 *     cancelled during their leases
 * @param remembered the number of remembered ids of finished messages that were read from the
 *     source
 * @param stored the number of messages and remembered ids that the copy stored in the target
 * @param present the number of messages and remembered ids whose ids were in use in the target, for
 *     example because a call whose answer was lost had stored them
 * @param keptDifferent with {@link TargetQueues#MERGE}, the number of messages that the target had
 *     already with a different content or state; 0 otherwise
 * @param differences the number of messages and remembered ids that differ although they should be
 *     equal
 * @param firstDifferences the first differences and kept messages, at most {@link #SHOWN}
 * @param paused whether the queue of the target is paused after the copy
 */
public record CopiedQueue(
    String queue,
    long messages,
    long remembered,
    long stored,
    long present,
    long keptDifferent,
    long differences,
    List<Difference> firstDifferences,
    boolean paused) {
  /** The largest number of {@link #firstDifferences}. */
  public static final int SHOWN = 20;

  /** Returns whether the verification found no difference, apart from kept messages. */
  public boolean isEqual() {
    return differences == 0;
  }
}
