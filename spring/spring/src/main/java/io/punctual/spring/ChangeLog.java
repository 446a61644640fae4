package io.punctual.spring;

import io.punctual.IfPresent;
import io.punctual.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The changes of a queue in a transaction, in their order. For use by the transaction's thread. */
final class ChangeLog<T> {
  private static final int DESCRIBED = 20;

  private final SavepointList<Change<T>> changes = new SavepointList<>();

  enum Kind {
    SCHEDULE("schedule"),
    CANCEL("cancel"),
    RESCHEDULE("reschedule");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  /**
   * A change.
   *
   * @param send sends this change alone
   * @param schedule the schedule, or null for a cancel or a reschedule
   */
  record Change<T>(
      Kind kind, String id, Consumer<ChangeCalls<T>> send, @Nullable Schedule<T> schedule) {
    /**
     * Returns whether this is a schedule that never replaces a message. After a rollback, a cancel
     * can undo such a schedule, but no cancel could bring back a replaced message.
     */
    boolean replacesNothing() {
      return schedule != null
          && (schedule.ifPresent() == IfPresent.KEEP || schedule.ifPresent() == IfPresent.REJECT);
    }

    boolean hasGeneratedId() {
      return schedule != null && schedule.generatedId();
    }

    /** Returns the message of a schedule; fails for other changes. */
    Message<T> message() {
      return Objects.requireNonNull(schedule).message();
    }

    /** Returns the mode of a schedule; fails for other changes. */
    IfPresent ifPresent() {
      return Objects.requireNonNull(schedule).ifPresent();
    }
  }

  record Schedule<T>(Message<T> message, IfPresent ifPresent, boolean generatedId) {}

  void add(Change<T> change) {
    changes.add(change);
  }

  boolean isEmpty() {
    return changes.isEmpty();
  }

  void savepoint(Object savepoint) {
    changes.savepoint(savepoint);
  }

  void rollback(Object savepoint) {
    changes.rollback(savepoint);
  }

  /**
   * Removes and returns the schedules that can be sent before the other changes, which stay. A
   * schedule that comes after a change that stays, such as a cancel, stays too if both have the
   * same id. Drops the changes that precede a cancel of the same id.
   */
  List<Change<T>> takeEarly() {
    List<Change<T>> early = new ArrayList<>();
    List<Change<T>> late = new ArrayList<>();
    Set<String> changed = new HashSet<>();
    for (Change<T> change : withoutCancelled(changes.takeAll())) {
      if (change.replacesNothing() && !changed.contains(change.id())) {
        early.add(change);
      } else {
        late.add(change);
        changed.add(change.id());
      }
    }
    changes.addAll(late);
    return early;
  }

  /** Returns the changes, except those that precede a cancel of the same id. */
  private static <T> Collection<Change<T>> withoutCancelled(List<Change<T>> changes) {
    Deque<Change<T>> kept = new ArrayDeque<>();
    Set<String> cancelled = new HashSet<>();
    for (int i = changes.size() - 1; i >= 0; i--) {
      Change<T> change = changes.get(i);
      if (!cancelled.contains(change.id())) {
        kept.addFirst(change);
      }
      if (change.kind() == Kind.CANCEL) {
        cancelled.add(change.id());
      }
    }
    return kept;
  }

  /** Removes and returns all changes. */
  List<Change<T>> takeAll() {
    return changes.takeAll();
  }

  /** Names the kinds and ids of the first 20 changes, and counts the others, for a log line. */
  String describe() {
    return describe(changes.elements());
  }

  /** Like {@link #describe()}, for these changes. */
  static <T> String describe(List<Change<T>> changes) {
    String first =
        changes.stream()
            .limit(DESCRIBED)
            .map(change -> change.kind().text + " of '" + change.id() + "'")
            .collect(Collectors.joining(", "));
    int more = changes.size() - DESCRIBED;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
