package io.punctual.journal;

import io.punctual.PunctualException;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Lane;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases what can be claimed: leases that have run out, by their end, then what is due, by its due
 * time. The attempts are in their file before anything is handed over. For the engine's thread
 * alone.
 */
final class Claims {
  /** How many bytes one reply may hold beside its first message. */
  static final long REPLY_BYTES = 1 << 20;

  /** How many cancelled messages one claim may discard. */
  private static final int MAX_DISCARDS = Lane.MAX_PAGE;

  private final LaneState lane;
  private final SlotTable slots;
  private final Attempts attempts;

  private final List<Candidate> taken = new ArrayList<>();
  private final List<Lease> leases = new ArrayList<>();
  private final List<Reply.Leased> messages = new ArrayList<>();
  private final List<Reply.Unreadable> unreadable = new ArrayList<>();
  private int discards;
  private long bytes;

  /** A message that is about to be leased, taken out of its order. */
  private record Candidate(int slot, @Nullable Lease expired, int attempt) {}

  Claims(LaneState lane, Attempts attempts) {
    this.lane = lane;
    this.slots = lane.slots();
    this.attempts = attempts;
  }

  Reply.Claimed claim(Call.Claim asked, long token, EngineTime now) {
    taken.clear();
    leases.clear();
    messages.clear();
    unreadable.clear();
    discards = 0;
    bytes = 0;
    boolean complete = false;
    try {
      if (attempts.isLarge()) {
        lane.rotateAttempts();
      }
      while (taken.size() < asked.limit() && takeNext(token, now.millis())) {}
      readTaken(token);
      attempts.write();
      complete = true;
    } catch (IOException e) {
      throw new PunctualException(
          "The journal could not write down the attempts, so nothing was claimed: "
              + e.getMessage(),
          e);
    } finally {
      if (!complete) {
        putBack();
      }
    }
    long until = now.millisAfter(asked.leaseMillis());
    for (int i = 0; i < taken.size(); i++) {
      lease(taken.get(i), leases.get(i), until);
    }
    return new Reply.Claimed(
        List.copyOf(messages),
        List.copyOf(unreadable),
        token,
        now.micros(),
        now.until(lane.earliest()));
  }

  /** Takes the next message, if there is one that fits; returns whether there was. */
  private boolean takeNext(long token, long nowMillis) {
    if (lane.isPaused()) {
      return false;
    }
    Lease expired = firstExpired(nowMillis);
    if (expired == null && discards > MAX_DISCARDS) {
      return false;
    }
    int slot = expired == null ? lane.due().first(nowMillis) : expired.slot;
    if (slot == SlotTable.NONE) {
      return false;
    }
    bytes += taken.isEmpty() ? 0 : slots.length(slot);
    if (bytes > REPLY_BYTES) {
      return false;
    }
    take(slot, expired, token);
    return true;
  }

  private @Nullable Lease firstExpired(long nowMillis) {
    Lease expired = lane.leases().firstExpired(nowMillis);
    while (expired != null && expired.cancelled && ++discards <= MAX_DISCARDS) {
      lane.remove(expired.slot);
      expired = lane.leases().firstExpired(nowMillis);
    }
    return discards > MAX_DISCARDS ? null : expired;
  }

  private void take(int slot, @Nullable Lease expired, long token) {
    int attempt = lane.attempts(slot) + 1;
    if (expired == null) {
      lane.due().remove(slot);
    } else {
      lane.leases().suspend(expired);
    }
    taken.add(new Candidate(slot, expired, attempt));
    attempts.add(lane.queue(), slots.sequence(slot), slots.hash(slot), token, attempt);
  }

  private void readTaken(long token) {
    MessageRecord[] records = lane.rawMessages(taken.stream().mapToInt(Candidate::slot).toArray());
    for (int i = 0; i < records.length; i++) {
      leases.add(read(taken.get(i), records[i], token));
    }
  }

  private Lease read(Candidate candidate, MessageRecord record, long token) {
    int slot = candidate.slot;
    Lease expired = candidate.expired;
    long due = expired == null ? lane.time(slot) : expired.dueMillis;
    String id = record.trustedId(slots.hash(slot), lane.hashSeed(), slots.sequence(slot));
    if (id == null) {
      throw lane.damaged(slots.location(slot));
    }
    Lease lease = new Lease(slot, id, due, token, candidate.attempt);
    try {
      if (!record.isIntact()) {
        throw lane.damaged(slots.location(slot));
      }
      Content content = record.content();
      messages.add(new Reply.Leased(id, content, due, lease.attempt, lane.history(slot)));
    } catch (IllegalArgumentException | JournalDamagedException e) {
      unreadable.add(new Reply.Unreadable(id, String.valueOf(e.getMessage())));
    }
    return lease;
  }

  private void putBack() {
    attempts.clear();
    for (Candidate candidate : taken) {
      if (candidate.expired == null) {
        lane.due().add(candidate.slot);
      } else {
        lane.leases().resume(candidate.expired);
      }
    }
  }

  private void lease(Candidate candidate, Lease next, long untilMillis) {
    if (candidate.expired != null) {
      lane.leases().remove(candidate.expired);
    }
    lane.lease(next, untilMillis);
  }

  /** Answers a claim again: with what is left of it. */
  Reply.Claimed again(long token, List<String> ids, EngineTime now) {
    List<Reply.Leased> left = new ArrayList<>();
    for (String text : ids) {
      Lease lease = lane.findLease(Id.of(text, lane.hashSeed()));
      if (lease != null
          && lease.token == token
          && !lease.cancelled
          && lane.leases().untilMillis(lease) > now.millis()) {
        left.add(
            new Reply.Leased(
                text,
                lane.message(lease.slot).content(),
                lease.dueMillis,
                lease.attempt,
                lane.history(lease.slot)));
      }
    }
    return new Reply.Claimed(left, List.of(), token, now.micros(), 0);
  }
}
