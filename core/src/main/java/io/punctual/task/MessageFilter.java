package io.punctual.task;

import io.punctual.State;
import io.punctual.TimedQueue;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects waiting messages by their state, due time, id and headers: {@link TimedQueue#change}. A
 * message must match all of these. Each {@code with} method replaces one part. Immutable.
 *
 * <pre>{@code
 * MessageFilter.ALL.withDueFrom(monday).withDueBefore(tuesday).withHeader("tenant", "acme")
 * }</pre>
 *
 * @param state {@link State#SCHEDULED} or {@link State#READY}, or empty for both
 * @param dueFrom the earliest due time
 * @param dueBefore the end of the range of due times, exclusive
 * @param idPrefix the beginning of the ids; the empty text matches all
 * @param headers headers that a message must have, with these values. A task with such headers
 *     reads the payloads as well, and so is slower
 * @param limit the largest number of messages to select, 1 or more
 */
public record MessageFilter(
    Optional<State> state,
    Instant dueFrom,
    Instant dueBefore,
    String idPrefix,
    Map<String, String> headers,
    long limit) {
  /** Matches every waiting message. */
  public static final MessageFilter ALL =
      new MessageFilter(Optional.empty(), Instant.MIN, Instant.MAX, "", Map.of(), Long.MAX_VALUE);

  /**
   * Creates a filter.
   *
   * @throws IllegalArgumentException if the state is not of waiting messages, or the limit is below
   *     1
   */
  public MessageFilter {
    if (state.isPresent() && state.get() != State.SCHEDULED && state.get() != State.READY) {
      throw new IllegalArgumentException(
          "Waiting messages are SCHEDULED or READY, but the state was " + state.get());
    }
    Objects.requireNonNull(dueFrom, "dueFrom");
    Objects.requireNonNull(dueBefore, "dueBefore");
    Objects.requireNonNull(idPrefix, "idPrefix");
    headers = Map.copyOf(headers);
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but was " + limit);
    }
  }

  /** Returns this filter for one state: {@link State#SCHEDULED} or {@link State#READY}. */
  public MessageFilter withState(State wanted) {
    return new MessageFilter(Optional.of(wanted), dueFrom, dueBefore, idPrefix, headers, limit);
  }

  /** Returns this filter for due times at or after an instant. */
  public MessageFilter withDueFrom(Instant from) {
    return new MessageFilter(state, from, dueBefore, idPrefix, headers, limit);
  }

  /** Returns this filter for due times before an instant. */
  public MessageFilter withDueBefore(Instant before) {
    return new MessageFilter(state, dueFrom, before, idPrefix, headers, limit);
  }

  /** Returns this filter for ids with a prefix. */
  public MessageFilter withIdPrefix(String prefix) {
    return new MessageFilter(state, dueFrom, dueBefore, prefix, headers, limit);
  }

  /** Returns this filter for messages that also have a header with this value. */
  public MessageFilter withHeader(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new MessageFilter(state, dueFrom, dueBefore, idPrefix, more, limit);
  }

  /**
   * Returns this filter with a limit of the number of matches. The filter then selects the first
   * matches in the order of the task's visit.
   */
  public MessageFilter withLimit(long most) {
    return new MessageFilter(state, dueFrom, dueBefore, idPrefix, headers, most);
  }
}
