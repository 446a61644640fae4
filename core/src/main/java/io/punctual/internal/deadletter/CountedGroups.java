package io.punctual.internal.deadletter;

import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The groups of dead letters for users. Immutable. */
record CountedGroups(List<DeadLetterGroup> groups, long others) implements DeadLetterGroups {
  /** A group for users. Immutable. */
  record Group(
      String key,
      Optional<DeadReason> reason,
      String failure,
      long count,
      Instant firstDied,
      Instant lastDied,
      List<Long> deaths,
      String sampleId)
      implements DeadLetterGroup {}
}
