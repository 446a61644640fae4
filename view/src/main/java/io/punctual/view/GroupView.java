package io.punctual.view;

import io.punctual.deadletter.DeadLetterGroup;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters with the same reason and failure.
 *
 * @param group the key of the group
 * @param reason the reason of the burials, or null if it is not known
 * @param failure the failure, or null if the reader may not see it
 * @param count the number of dead letters
 * @param firstDied the earliest time of death
 * @param lastDied the latest time of death
 * @param deaths the numbers of deaths in equal spans from the first to the last death
 * @param sampleId the id of a dead letter that died at {@code lastDied}
 */
public record GroupView(
    String group,
    @Nullable String reason,
    @Nullable String failure,
    long count,
    String firstDied,
    String lastDied,
    List<Long> deaths,
    String sampleId)
    implements View {
  /** Returns the view of a group. */
  public static GroupView of(DeadLetterGroup group, Redaction redaction) {
    return new GroupView(
        group.key(),
        group.reason().map(Enum::name).orElse(null),
        redaction.failure(group.failure()),
        group.count(),
        Values.instant(group.firstDied()),
        Values.instant(group.lastDied()),
        group.deaths(),
        group.sampleId());
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("group", group)
        .put("reason", reason)
        .put("failure", failure)
        .put("count", count)
        .put("firstDied", firstDied)
        .put("lastDied", lastDied)
        .put("deaths", deaths)
        .put("sampleId", sampleId)
        .toMap();
  }
}
