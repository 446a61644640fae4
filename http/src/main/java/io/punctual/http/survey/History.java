package io.punctual.http.survey;

import io.punctual.Lateness;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What the workers of all processes have delivered, by queue: in the last hour by minutes, and in
 * the last day by five minutes. It begins when the service begins, and is kept for up to 1,000
 * queues. Thread-safe.
 */
final class History {
  /** A delivery is late beyond this time. */
  static final Duration LATE = Duration.ofSeconds(1);

  private static final int MOST_QUEUES = 1000;
  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long FIVE_MINUTES = Duration.ofMinutes(5).toMillis();
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final Duration CLOCKS = Duration.ofSeconds(5);

  private final Instant since;
  private final Map<String, Track> tracks = new HashMap<>();
  private volatile List<WorkerInfo> workers = List.of();

  /** How many messages each worker had handled at the last sample, by its id. */
  private Map<String, Long> handled = new HashMap<>();

  private Instant lastSample;

  /** The deliveries of one queue. */
  private static final class Track {
    final Ring minutes = new Ring(62, MINUTE);
    final Ring day = new Ring(290, FIVE_MINUTES);
  }

  /**
   * The deliveries of a span.
   *
   * @param at the beginning
   * @param onTime the number of messages that were at most a second late
   * @param late the number of the others
   */
  record Span(Instant at, long onTime, long late) {}

  History(InstantSource clock) {
    since = clock.instant();
    lastSample = since;
  }

  /** Returns the time since which deliveries are counted. */
  Instant since() {
    return since;
  }

  /** Returns the workers of the last sample. */
  List<WorkerInfo> workers() {
    return workers;
  }

  /** Takes the workers with their figures, and adds what they handled since the sample before. */
  synchronized void sample(List<WorkerInfo> all, Instant now) {
    workers = List.copyOf(all);
    long millis = now.toEpochMilli();
    Map<String, Long> before = handled;
    handled = new HashMap<>();
    for (WorkerInfo worker : all) {
      worker
          .figures()
          .ifPresent(
              figures -> {
                handled.put(worker.id(), figures.handled());
                add(worker.queue(), delivered(worker, figures, before), figures, millis);
              });
    }
    lastSample = now;
    tracks.values().removeIf(track -> track.day.isIdleSince(millis - DAY));
  }

  /** Returns the deliveries since the sample before; those of a new worker since its start. */
  private long delivered(WorkerInfo worker, WorkerFigures figures, Map<String, Long> before) {
    Long last = before.get(worker.id());
    if (last != null) {
      return Math.max(0, figures.handled() - last);
    }
    // The clocks of processes differ a little.
    boolean isNew = worker.startedAt().isAfter(lastSample.minus(CLOCKS));
    return isNew ? figures.handled() : 0;
  }

  private void add(String queue, long delivered, WorkerFigures figures, long millis) {
    if (delivered == 0) {
      return;
    }
    Track track = tracks.get(queue);
    if (track == null) {
      if (tracks.size() >= MOST_QUEUES) {
        return;
      }
      track = new Track();
      tracks.put(queue, track);
    }
    long late = Math.min(delivered, Math.round(delivered * lateShare(figures.lateness())));
    track.minutes.add(millis, delivered - late, late);
    track.day.add(millis, delivered - late, late);
  }

  private static double lateShare(Lateness lateness) {
    long late =
        lateness.buckets().stream()
            .filter(bucket -> bucket.from().compareTo(LATE) >= 0)
            .mapToLong(Lateness.Bucket::count)
            .sum();
    return lateness.count() == 0 ? 0 : (double) late / lateness.count();
  }

  /** Returns the spans of this width before a time, for the queues that the caller sees. */
  synchronized List<Span> past(Predicate<String> sees, Instant end, Duration width, int spans) {
    long widthMillis = width.toMillis();
    long from =
        Math.floorDiv(end.toEpochMilli(), widthMillis) * widthMillis - (spans - 1) * widthMillis;
    long[] onTime = new long[spans];
    long[] late = new long[spans];
    boolean isFine = widthMillis < FIVE_MINUTES;
    tracks.forEach(
        (queue, track) -> {
          if (sees.test(queue)) {
            (isFine ? track.minutes : track.day).addTo(onTime, late, from, widthMillis);
          }
        });
    List<Span> result = new ArrayList<>(spans);
    for (int i = 0; i < spans; i++) {
      result.add(new Span(Instant.ofEpochMilli(from + i * widthMillis), onTime[i], late[i]));
    }
    return result;
  }

  /** Returns the lateness of the last minute in the queues that the caller sees. */
  Lateness lateness(Predicate<String> sees) {
    return Lateness.sum(
        workers.stream()
            .filter(worker -> sees.test(worker.queue()))
            .flatMap(worker -> worker.figures().stream())
            .map(WorkerFigures::lateness)
            .toList());
  }
}
