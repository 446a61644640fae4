package io.punctual.journal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The queues: those that somebody asked for, by name, and those that the journal knows, by number.
 * For the engine's thread alone.
 */
final class Lanes {
  private final long hashSeed;
  private final Log log;
  private final Segments segments;
  private final Attempts attempts;
  private final long nowMillis;
  private final Map<String, LaneState> byName = new HashMap<>();
  private final TreeMap<Integer, LaneState> byNumber = new TreeMap<>();

  Lanes(long hashSeed, Log log, Segments segments, Attempts attempts, long nowMillis) {
    this.hashSeed = hashSeed;
    this.log = log;
    this.segments = segments;
    this.attempts = attempts;
    this.nowMillis = nowMillis;
  }

  long hashSeed() {
    return hashSeed;
  }

  Attempts attempts() {
    return attempts;
  }

  LaneState named(String name) {
    return byName.computeIfAbsent(
        name, missing -> new LaneState(missing, this, log, segments, nowMillis));
  }

  @Nullable LaneState numbered(int number) {
    return byNumber.get(number);
  }

  /** Gives a queue the number that the journal says it has. */
  void define(int number, String name) {
    LaneState lane = named(name);
    lane.queue(number);
    byNumber.put(number, lane);
  }

  /** Gives a queue a number, for good. */
  int newNumber(LaneState lane) {
    int number = byNumber.isEmpty() ? 1 : byNumber.lastKey() + 1;
    byNumber.put(number, lane);
    return number;
  }

  /** The queues that the journal knows. */
  Collection<LaneState> defined() {
    return byNumber.values();
  }

  /** The names of the queues that the journal knows, sorted. */
  List<String> names() {
    List<String> names = new ArrayList<>(byNumber.values().stream().map(LaneState::name).toList());
    names.sort(null);
    return List.copyOf(names);
  }

  /** Writes the numbers and pauses of all queues. */
  void describe(RecordBuffer into) {
    for (LaneState lane : byNumber.values()) {
      into.queue(lane.queue(), lane.name().getBytes(StandardCharsets.UTF_8));
      into.paused(lane.queue(), lane.isPaused());
    }
  }

  /** Begins a new file of attempts, with those of the leases there are. */
  void rotateAttempts() throws IOException {
    String replaced = attempts.rotate(() -> byNumber.values().forEach(this::addAttempts));
    log.whenSafe(
        new Frame.Confirmation() {
          @Override
          public void confirmed() {
            attempts.drop(replaced);
          }

          @Override
          public void failed(RuntimeException why) {
            // The next start reads it, and drops it then.
          }
        });
  }

  /** Writes down attempts that were under way when an earlier run ended without doing so. */
  boolean recount(List<Attempts.Attempt> attempts) {
    for (Attempts.Attempt attempt : attempts) {
      LaneState lane = byNumber.get(attempt.queue());
      if (lane != null) {
        lane.recount(attempt);
      }
    }
    return true;
  }

  private void addAttempts(LaneState lane) {
    SlotTable slots = lane.slots();
    lane.leases()
        .forEach(
            lease ->
                attempts.add(
                    lane.queue(),
                    slots.sequence(lease.slot),
                    slots.hash(lease.slot),
                    lease.token,
                    lease.attempt));
  }
}
