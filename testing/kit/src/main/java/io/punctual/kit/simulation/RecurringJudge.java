package io.punctual.kit.simulation;

import io.punctual.Delivery;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Checks that each occurrence of each message is completed once and not early, or skipped if its
 * recurrence skips missed occurrences. Sees the settlements that the store executed, so it also
 * knows the settlements whose replies were lost in a crash. Not thread-safe.
 */
final class RecurringJudge {
  private static final int MOST_COMPLAINTS = 20;

  /** The largest difference between the clock of the store and a client's estimate. */
  private static final Duration ESTIMATE = Duration.ofMillis(20);

  private final Map<String, Track> tracks = new HashMap<>();
  private final List<String> complaints = new ArrayList<>();
  private long completed;
  private long failed;
  private long skipped;
  private long runs;

  /** The current occurrence of a message. */
  private static final class Track {
    private final Rhythm rhythm;
    private Instant occurrence;
    private boolean isDead;

    /**
     * The token of the last run of a handler that ended. {@link #ended} and {@link #succeeded}
     * describe the same run.
     */
    private long token;

    private @Nullable Instant ended;
    private boolean succeeded;

    Track(Rhythm rhythm) {
      this.rhythm = rhythm;
      this.occurrence = rhythm.first();
    }
  }

  void expect(String id, Rhythm rhythm) {
    tracks.put(id, new Track(rhythm));
  }

  private Track track(String id) {
    Track track = tracks.get(id);
    if (track == null) {
      throw new IllegalArgumentException("There is no message '" + id + "'");
    }
    return track;
  }

  private void complain(String id, Track track, String what) {
    if (complaints.size() < MOST_COMPLAINTS) {
      complaints.add(id + ", " + track.rhythm.recurrence() + ", " + track.occurrence + ": " + what);
    }
  }

  void started(Delivery<String> delivery, Instant now) {
    runs++;
    Track track = track(delivery.id());
    if (track.isDead) {
      complain(delivery.id(), track, "delivered after its end");
    }
    if (!delivery.occurrence().equals(track.occurrence)) {
      complain(delivery.id(), track, "delivered as " + delivery.occurrence());
    }
    if (now.isBefore(track.occurrence)) {
      complain(delivery.id(), track, "delivered early, at " + now);
    }
  }

  void ended(Delivery<String> delivery, Instant now, boolean succeeded) {
    Track track = track(delivery.id());
    track.token = delivery.fencingToken();
    track.ended = now;
    track.succeeded = succeeded;
  }

  /** Processes an operation that the store has executed. */
  void executed(Operation operation, Outcome outcome, Instant now) {
    if (!(operation instanceof Operation.Settlement settlement)
        || !(outcome instanceof Outcome.OfSettlement done)
        || done.outcome() != SettleOutcome.DONE) {
      return;
    }
    Track track = track(settlement.id());
    if (settlement instanceof Operation.Repeat repeat) {
      repeated(track, repeat, now);
    } else if (settlement instanceof Operation.Ack) {
      complain(settlement.id(), track, "removed");
    } else if (settlement instanceof Operation.Bury) {
      if (!track.rhythm.recurrence().stopsOnFailure()) {
        complain(settlement.id(), track, "buried");
      }
      track.isDead = true;
    }
  }

  private void repeated(Track track, Operation.Repeat repeat, Instant now) {
    Content content = repeat.content();
    OptionalLong deferred =
        content == null ? OptionalLong.empty() : RecurrenceHeaders.occurrence(content.headers());
    if (deferred.isPresent()) {
      if (deferred.getAsLong() != track.occurrence.toEpochMilli()) {
        complain(repeat.id(), track, "deferred as " + Instant.ofEpochMilli(deferred.getAsLong()));
      }
      return;
    }
    long nowMicros = now.toEpochMilli() * 1000;
    completed(repeat, track, Instant.ofEpochMilli(repeat.due().atMillis(nowMicros)), now);
  }

  private void completed(Operation.Repeat repeat, Track track, Instant next, Instant now) {
    boolean isOfLastRun = track.ended != null && track.token == repeat.token();
    if (isOfLastRun && track.succeeded) {
      completed++;
    } else {
      failed++;
    }
    Instant following = track.rhythm.following().apply(track.occurrence);
    while (following.isBefore(next)) {
      skipped++;
      if (track.rhythm.recurrence().catchesUp()) {
        complain(repeat.id(), track, "followed by " + next + ", without " + following);
      } else if (!following.isBefore(now.plus(ESTIMATE))) {
        complain(repeat.id(), track, following + " was skipped at " + now);
      }
      following = track.rhythm.following().apply(following);
    }
    if (!following.equals(next)) {
      complain(repeat.id(), track, "followed by " + next + ", outside of the rhythm");
    }
    Instant ended = isOfLastRun ? track.ended : null;
    boolean skips = !track.rhythm.recurrence().catchesUp();
    if (skips && ended != null && next.isBefore(ended.minus(ESTIMATE))) {
      complain(repeat.id(), track, "followed by the missed " + next + " at " + ended);
    }
    track.occurrence = next;
    track.ended = null;
  }

  /** Compares a stored message with its current occurrence, after all faults have ended. */
  void compare(String id, Optional<StoredMessage<String>> stored, Instant now) {
    Track track = track(id);
    if (stored.isEmpty()) {
      complain(id, track, "lost");
      return;
    }
    State expected = track.isDead ? State.DEAD : State.SCHEDULED;
    if (stored.get().state() != expected) {
      complain(id, track, stored.get().state() + " instead of " + expected);
    }
    if (!stored.get().occurrence().equals(track.occurrence)) {
      complain(id, track, "stored as " + stored.get().occurrence());
    }
    if (!track.isDead && !track.occurrence.isAfter(now)) {
      complain(id, track, "not completed at " + now);
    }
  }

  /** Returns whether no message has an occurrence that is due at this time and not completed. */
  boolean isIdle(Instant now) {
    return tracks.values().stream()
        .allMatch(track -> track.isDead || track.occurrence.isAfter(now));
  }

  RecurringSimulation.Result result(long seed, long crashes) {
    return new RecurringSimulation.Result(
        seed, complaints, completed, failed, skipped, crashes, runs);
  }
}
