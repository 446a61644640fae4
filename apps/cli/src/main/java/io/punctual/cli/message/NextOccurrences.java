package io.punctual.cli.message;

import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.StoredMessage;
import io.punctual.cli.output.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The recurrence of a message, and at most three occurrences after its current occurrence.
 * Immutable.
 *
 * @param recurrence a text for people; the error if this process can't compute the occurrences;
 *     empty if the message is not recurring
 * @param times the occurrences, earliest first; fewer if the recurrence ends, and none after an
 *     error
 */
record NextOccurrences(String recurrence, List<Instant> times) {
  private static final int SHOWN = 3;

  private static final NextOccurrences NONE = new NextOccurrences("", List.of());

  NextOccurrences {
    times = List.copyOf(times);
  }

  static NextOccurrences of(StoredMessage<?> message, Instant now) {
    try {
      return message
          .recurrence()
          .map(found -> new NextOccurrences(found.toString(), next(found, message, now)))
          .orElse(NONE);
    } catch (RecurrenceException e) {
      return new NextOccurrences(String.valueOf(e.getMessage()), List.of());
    }
  }

  private static List<Instant> next(Recurrence recurrence, StoredMessage<?> message, Instant now) {
    List<Instant> times = new ArrayList<>();
    Instant last = message.occurrence();
    while (times.size() < SHOWN) {
      Optional<Instant> next = recurrence.next(last, now);
      if (next.isEmpty() || next.get().isAfter(message.notAfter().orElse(Instant.MAX))) {
        break;
      }
      last = next.get();
      times.add(last);
    }
    return times;
  }

  boolean isRecurring() {
    return !recurrence.isEmpty();
  }

  String text(String separator) {
    return times.stream().map(Json::instant).collect(Collectors.joining(separator));
  }
}
