package io.punctual.view;

import io.punctual.Scheduled;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a schedule.
 *
 * @param id the message's id
 * @param outcome the outcome
 * @param dueAt the due time of the message that now has the id
 * @param previous the state of the message that had the id before, or null if there was none
 */
public record ScheduledView(String id, String outcome, String dueAt, @Nullable String previous)
    implements View {
  /** Returns the view of a result. */
  public static ScheduledView of(Scheduled scheduled) {
    return new ScheduledView(
        scheduled.id(),
        scheduled.outcome().name(),
        Values.instant(scheduled.dueAt()),
        scheduled.previous().map(Enum::name).orElse(null));
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("id", id)
        .put("outcome", outcome)
        .put("dueAt", dueAt)
        .put("previous", previous)
        .toMap();
  }
}
