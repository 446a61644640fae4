package io.punctual.migration.copy;

/** How a copy treats queues of the target that have messages already. */
public enum TargetQueues {
  /** The copy is refused if a copied queue has messages or remembered ids in the target. */
  REQUIRE_EMPTY,

  /**
   * The copy continues an earlier copy that did not finish. Messages that are already in the target
   * stay there. At the end, the target must equal the source, as after a single copy.
   */
  CONTINUE,

  /**
   * The copy adds to a queue that is in use. Messages that are already in the target stay there, in
   * any state and with any content. At the end, each message of the source must be in the target.
   * The queue of the target is paused during the copy. It is then resumed unless it was paused
   * before or the copy found a difference.
   */
  MERGE
}
