package io.punctual.deadletter;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects dead letters by their reason, failure, time of death and id. A dead letter must match all
 * of these. Each {@code with} method replaces one part. Immutable.
 *
 * <pre>{@code
 * DeadLetterFilter.ALL.withFailure("CardException").withDiedBefore(deployedAt)
 * }</pre>
 *
 * @param group the {@link DeadLetterGroup#key} of a group, or empty for all groups
 * @param reason the reason of the burial, or empty for all reasons
 * @param failure a part of {@link DeadLetterGroup#failure}, for example the name of an exception's
 *     class; the empty text matches all
 * @param diedFrom the earliest time of death, by the store's clock
 * @param diedBefore the end of the range of the times of death, exclusive
 * @param idPrefix the beginning of the ids; the empty text matches all
 * @param limit the largest number of dead letters to select, 1 or more
 */
public record DeadLetterFilter(
    Optional<String> group,
    Optional<DeadReason> reason,
    String failure,
    Instant diedFrom,
    Instant diedBefore,
    String idPrefix,
    long limit) {
  /** Matches every dead letter. */
  public static final DeadLetterFilter ALL =
      new DeadLetterFilter(
          Optional.empty(), Optional.empty(), "", Instant.MIN, Instant.MAX, "", Long.MAX_VALUE);

  /**
   * Creates a filter.
   *
   * @throws IllegalArgumentException if the limit is below 1
   */
  public DeadLetterFilter {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(failure, "failure");
    Objects.requireNonNull(diedFrom, "diedFrom");
    Objects.requireNonNull(diedBefore, "diedBefore");
    Objects.requireNonNull(idPrefix, "idPrefix");
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but was " + limit);
    }
  }

  /** Returns this filter for one group; see {@link DeadLetterGroup#key}. */
  public DeadLetterFilter withGroup(String key) {
    return new DeadLetterFilter(
        Optional.of(key), reason, failure, diedFrom, diedBefore, idPrefix, limit);
  }

  /** Returns this filter for one reason. */
  public DeadLetterFilter withReason(DeadReason wanted) {
    return new DeadLetterFilter(
        group, Optional.of(wanted), failure, diedFrom, diedBefore, idPrefix, limit);
  }

  /** Returns this filter for failures that contain a text. */
  public DeadLetterFilter withFailure(String part) {
    return new DeadLetterFilter(group, reason, part, diedFrom, diedBefore, idPrefix, limit);
  }

  /** Returns this filter for deaths at or after an instant. */
  public DeadLetterFilter withDiedFrom(Instant from) {
    return new DeadLetterFilter(group, reason, failure, from, diedBefore, idPrefix, limit);
  }

  /** Returns this filter for deaths before an instant. */
  public DeadLetterFilter withDiedBefore(Instant before) {
    return new DeadLetterFilter(group, reason, failure, diedFrom, before, idPrefix, limit);
  }

  /** Returns this filter for ids with a prefix. */
  public DeadLetterFilter withIdPrefix(String prefix) {
    return new DeadLetterFilter(group, reason, failure, diedFrom, diedBefore, prefix, limit);
  }

  /**
   * Returns this filter with a limit of the number of matches. The filter then selects the first
   * matches in the order of a listing: partition by partition, and within a partition by the time
   * of death.
   */
  public DeadLetterFilter withLimit(long most) {
    return new DeadLetterFilter(group, reason, failure, diedFrom, diedBefore, idPrefix, most);
  }
}
