package io.punctual.migration.copy;

/** How a copy treats the queues of the source that are not paused. */
public enum SourceQueues {
  /** The copy is refused unless all copied queues of the source are paused. */
  REQUIRE_PAUSED,

  /** The copy pauses the queues that it copies in the source, and leaves them paused. */
  PAUSE,

  /**
   * The copy takes the queues as they are. This is right if no other process uses the source, such
   * as a journal that the caller has open. Otherwise messages that change during the copy can be
   * reported as differences.
   */
  AS_THEY_ARE
}
