package io.punctual.http.own;

import io.punctual.State;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.http.dead.DeadFilters;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.http.message.Draft;
import io.punctual.http.text.BadInputException;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a task does. Immutable.
 *
 * @param queue the queue
 * @param action the change
 * @param filter the filter as JSON, or null for all
 * @param rate the largest number of changes in a second, or 0 without a limit
 * @param limit the largest number of changes, or 0 without a limit
 * @param reason why, or null
 * @param isDryRun whether the task only counts
 * @param delay how long the task waits before it begins
 * @param shift the time of a shift, or null
 * @param states the states of a purge; empty otherwise
 */
record TaskOrder(
    String queue,
    Action action,
    byte @Nullable [] filter,
    int rate,
    long limit,
    @Nullable String reason,
    boolean isDryRun,
    Duration delay,
    @Nullable Duration shift,
    Set<State> states) {
  /** The largest filter in bytes, which is that of a small body. */
  private static final int MOST_FILTER = 64 << 10;

  private static final Fields FIELDS =
      Fields.of(
          "queue", "action", "filter", "rate", "limit", "reason", "dryRun", "delay", "shift",
          "states");

  private static final Fields REQUEST =
      Fields.of(
          "id", "queue", "action", "filter", "rate", "limit", "reason", "dryRun", "delay", "shift",
          "states");

  private static final Fields MESSAGES = Fields.of("state", "from", "to", "prefix", "headers");

  /** Copies the states. */
  TaskOrder {
    states = Set.copyOf(states);
  }

  /** A change of many messages. */
  enum Action {
    /** Makes dead letters due now. */
    REDRIVE,
    /** Removes dead letters. */
    DELETE,
    /** Removes waiting messages. */
    CANCEL,
    /** Makes scheduled messages due now. */
    RUN,
    /** Adds a time to the due times of waiting messages. */
    SHIFT,
    /** Removes all messages in some states. */
    PURGE;

    boolean isOfDeadLetters() {
      return this == REDRIVE || this == DELETE;
    }
  }

  /** Returns the redrive of the dead letters that died since a time. */
  static TaskOrder redriveSince(String queue, Instant since, int rate, @Nullable String reason) {
    byte[] filter = JsonOutput.tree(Map.of("from", Values.instant(since)));
    return new TaskOrder(
        queue, Action.REDRIVE, filter, rate, 0, reason, false, Duration.ZERO, null, Set.of());
  }

  /**
   * A request for a task.
   *
   * @param id the id that the caller gives, or null
   * @param order what to do
   */
  record Request(@Nullable String id, TaskOrder order) {
    static Request read(JsonInput input) {
      Parts parts = new Parts();
      String[] id = new String[1];
      input.object(
          REQUEST,
          name -> {
            if (name.equals("id")) {
              id[0] = input.text();
            } else {
              parts.read(name, input);
            }
          });
      return new Request(id[0], parts.order(input));
    }
  }

  static TaskOrder read(JsonInput input) {
    Parts parts = new Parts();
    input.object(FIELDS, name -> parts.read(name, input));
    return parts.order(input);
  }

  /** Returns whether another order asks for the same, but for the delay, which is not kept. */
  boolean isSameAs(TaskOrder other) {
    return Arrays.equals(toBytes(), other.toBytes());
  }

  private byte[] toBytes() {
    Tree tree = new Tree();
    addTo(tree);
    return JsonOutput.tree(tree.toMap());
  }

  /** Returns the filter of dead letters. */
  DeadLetterFilter deadLetters() {
    DeadLetterFilter[] built = {DeadLetterFilter.ALL};
    if (filter != null) {
      JsonInput.read(
          filter,
          input -> {
            input.object(
                DeadFilters.FIELDS, name -> built[0] = DeadFilters.read(built[0], name, input));
            return built;
          });
    }
    return limit == 0 ? built[0] : built[0].withLimit(limit);
  }

  /** Returns the filter of waiting messages. */
  MessageFilter messages() {
    MessageFilter[] built = {MessageFilter.ALL};
    if (filter != null) {
      JsonInput.read(
          filter,
          input -> {
            input.object(MESSAGES, name -> built[0] = read(built[0], name, input));
            return built;
          });
    }
    return limit == 0 ? built[0] : built[0].withLimit(limit);
  }

  /** Returns whether the filter looks into headers or texts of failures. */
  boolean readsContents() {
    try {
      return action.isOfDeadLetters()
          ? !deadLetters().failure().isEmpty()
          : action != Action.PURGE && !messages().headers().isEmpty();
    } catch (BadInputException e) {
      return true; // A later version has written a filter that this one does not know.
    }
  }

  private static MessageFilter read(MessageFilter filter, String name, JsonInput input) {
    return switch (name) {
      case "state" -> {
        State state = input.constant(State.class);
        if (state != State.SCHEDULED && state != State.READY) {
          throw input.bad("must be scheduled or ready");
        }
        yield filter.withState(state);
      }
      case "from" -> filter.withDueFrom(input.instant());
      case "to" -> filter.withDueBefore(input.instant());
      case "prefix" -> filter.withIdPrefix(input.text());
      default -> {
        MessageFilter more = filter;
        for (Map.Entry<String, String> header : Draft.headers(input).entrySet()) {
          more = more.withHeader(header.getKey(), header.getValue());
        }
        yield more;
      }
    };
  }

  /** Returns the change of waiting messages. */
  MessageChange change() {
    return switch (action) {
      case CANCEL -> MessageChange.cancel();
      case RUN -> MessageChange.runNow();
      case SHIFT -> MessageChange.shift(Objects.requireNonNull(shift, "shift"));
      default -> throw new IllegalStateException(action + " is no change of waiting messages");
    };
  }

  /** Refuses a wrong filter and parts that the action does not use. */
  void check() {
    if (action.isOfDeadLetters()) {
      DeadLetterFilter unused = deadLetters();
    } else if (action == Action.PURGE) {
      refuse(filter != null || rate > 0 || limit > 0 || isDryRun, "only states");
      refuse(states.isEmpty(), "the states of the messages to remove");
    } else {
      MessageFilter unused = messages();
      if (action == Action.SHIFT) {
        refuse(shift == null, "shift, the time to add");
        MessageChange unusedChange = change();
      }
    }
    refuse(shift != null && action != Action.SHIFT, "no shift");
    refuse(!states.isEmpty() && action != Action.PURGE, "no states");
  }

  private void refuse(boolean isWrong, String needs) {
    if (isWrong) {
      throw new BadInputException("The action " + action + " has " + needs);
    }
  }

  void addTo(Tree tree) {
    tree.put("queue", queue)
        .put("action", action)
        .put("filter", (Object) TaskRecord.json(filter))
        .put("rate", rate == 0 ? null : (Object) rate)
        .put("limit", limit == 0 ? null : (Object) limit)
        .put("reason", reason)
        .flag("dryRun", isDryRun)
        .put("shift", shift == null ? null : (Object) shift.toString())
        .put(
            "states",
            states.isEmpty() ? null : (Object) states.stream().map(Enum::name).sorted().toList());
  }

  private static final class Parts {
    @Nullable String queue;
    @Nullable Action action;
    byte @Nullable [] filter;
    int rate;
    long limit;
    @Nullable String reason;
    boolean isDryRun;
    Duration delay = Duration.ZERO;
    @Nullable Duration shift;
    final Set<State> states = EnumSet.noneOf(State.class);

    void read(String name, JsonInput input) {
      switch (name) {
        case "queue" -> queue = input.text();
        case "action" -> action = input.constant(Action.class);
        case "filter" -> filter = input.raw(MOST_FILTER);
        case "rate" -> rate = (int) input.number(1, 1_000_000);
        case "limit" -> limit = input.number(1, Long.MAX_VALUE);
        case "reason" -> reason = reason(input);
        case "dryRun" -> isDryRun = input.flag();
        case "delay" -> delay = delay(input);
        case "shift" -> shift = input.duration();
        default -> states.addAll(input.array(5, each -> each.constant(State.class)));
      }
    }

    private static String reason(JsonInput input) {
      String reason = input.text();
      if (reason.length() > 300) {
        throw input.bad("may have at most 300 characters");
      }
      return reason;
    }

    private static Duration delay(JsonInput input) {
      Duration delay = input.duration();
      if (delay.isNegative() || delay.compareTo(Duration.ofDays(1)) > 0) {
        throw input.bad("must be between 0 and 1 day");
      }
      return delay;
    }

    TaskOrder order(JsonInput input) {
      if (queue == null || action == null) {
        throw input.bad("a task needs a queue and an action");
      }
      return new TaskOrder(
          queue, action, filter, rate, limit, reason, isDryRun, delay, shift, states);
    }
  }
}
