package io.punctual.view;

import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.StoredMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The recurrence of a message.
 *
 * @param recurrence a text for people; the error if this process can't compute the occurrences
 * @param occurrence the planned time of the current occurrence
 * @param nextOccurrences at most three occurrences after it, earliest first; fewer if the
 *     recurrence ends, and none after an error
 */
public record RecurrenceView(String recurrence, String occurrence, List<String> nextOccurrences)
    implements View {
  private static final int SHOWN = 3;

  /** Copies {@code nextOccurrences}. */
  public RecurrenceView {
    nextOccurrences = List.copyOf(nextOccurrences);
  }

  /** Returns the recurrence of a message, or null if the message is not recurring. */
  static @Nullable RecurrenceView of(StoredMessage<?> message, Instant now) {
    try {
      Optional<Recurrence> found = message.recurrence();
      return found.isEmpty()
          ? null
          : view(message, found.get().toString(), next(found.get(), message, now));
    } catch (RecurrenceException e) {
      return view(message, String.valueOf(e.getMessage()), List.of());
    }
  }

  private static RecurrenceView view(StoredMessage<?> message, String text, List<String> next) {
    return new RecurrenceView(text, Values.instant(message.occurrence()), next);
  }

  private static List<String> next(Recurrence recurrence, StoredMessage<?> message, Instant now) {
    List<String> times = new ArrayList<>();
    Instant last = message.occurrence();
    while (times.size() < SHOWN) {
      Optional<Instant> next = recurrence.next(last, now);
      if (next.isEmpty() || next.get().isAfter(message.notAfter().orElse(Instant.MAX))) {
        break;
      }
      last = next.get();
      times.add(Values.instant(last));
    }
    return times;
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("recurrence", recurrence)
        .put("occurrence", occurrence)
        .put("nextOccurrences", nextOccurrences)
        .toMap();
  }
}
