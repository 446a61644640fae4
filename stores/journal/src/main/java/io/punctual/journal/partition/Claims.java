package io.punctual.journal.partition;

import io.punctual.PunctualException;
import io.punctual.embedded.ClaimSelection;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.embedded.Place;
import io.punctual.embedded.SessionAnswer;
import io.punctual.journal.format.Id;
import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.log.ReadMessage;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leases the messages that a claim selects. The attempts are written to their file before the
 * claim's reply. If a message can't be read, the reply has an unreadable entry for it; if even its
 * id can't be read, the claim postpones the message. Neither affects the other messages of the
 * claim. For the journal's thread alone.
 */
final class Claims {
  private final PartitionState partition;
  private final SlotTable slots;
  private final PartitionRules<Prepared> rules;
  private final ClaimSelection selection;
  private final AttemptLog attempts;

  private final List<Candidate> taken = new ArrayList<>();
  private final List<Lease> leases = new ArrayList<>();

  /** The slots of the messages in the reply. */
  private final List<Integer> delivered = new ArrayList<>();

  private final List<Reply.Leased> messages = new ArrayList<>();
  private final List<Reply.Unreadable> unreadable = new ArrayList<>();
  private final Postponements postponements = new Postponements();
  private int setAside;

  private String holder = "";

  /**
   * A message that is about to be leased. It was already removed from the order of due times, or
   * from the order of leases.
   */
  private record Candidate(int slot, @Nullable Lease expired, int attempt) {}

  Claims(
      PartitionState partition,
      JournalTable table,
      PartitionRules<Prepared> rules,
      AttemptLog attempts) {
    this.partition = partition;
    this.slots = partition.slots();
    this.rules = rules;
    selection = new ClaimSelection(table);
    this.attempts = attempts;
  }

  /** Takes the messages of a claim, and writes down their attempts; if this fails, takes none. */
  void take(Call.Claim asked, String session, long token, EngineTime now) {
    clear();
    holder = session;
    int limit = selection.begin(asked.limit(), now);
    boolean complete = false;
    try {
      if (attempts.isLarge()) {
        partition.rotateAttempts();
      }
      while (takeSome(limit, token, now)) {}
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
  }

  /**
   * Leases the messages that were taken. If this fails, only a part of them may be leased.
   *
   * @param remember receives the reply to a repeated call, before the messages of an at-most-once
   *     claim are removed, so that no error loses them
   */
  Reply.Claimed leaseTaken(
      Call.Claim asked, long token, EngineTime now, Consumer<Reply.Claimed> remember) {
    long until = now.millisAfter(asked.leaseMillis());
    for (int i = 0; i < taken.size(); i++) {
      lease(taken.get(i), leases.get(i), until);
    }
    List<Reply.Leased> leased = List.copyOf(messages);
    List<Reply.Unreadable> damaged = List.copyOf(unreadable);
    remember.accept(new Reply.Claimed(leased, damaged, token, now.micros(), 0));
    if (asked.atMostOnce()) {
      delivered.forEach(partition.moves()::remove);
    }
    partition.settings().limits().delivered(taken.size(), now);
    return new Reply.Claimed(
        leased,
        damaged,
        token,
        now.micros(),
        partition.settings().limits().until(partition.earliest(), now));
  }

  private void clear() {
    taken.clear();
    leases.clear();
    delivered.clear();
    messages.clear();
    unreadable.clear();
    setAside = 0;
  }

  /**
   * Takes messages and reads them. Returns whether to try again because all of them were postponed;
   * false after {@link Partition#MAX_PAGE} postponed messages.
   */
  private boolean takeSome(int limit, long token, EngineTime now) {
    while (taken.size() < limit && takeNext(now.millis())) {}
    int before = setAside;
    readTaken(token, now);
    return leases.isEmpty() && setAside > before && setAside < Partition.MAX_PAGE;
  }

  /**
   * Takes the next message out of the order of leases or of due times. Returns false if the claim
   * has no next message.
   */
  private boolean takeNext(long nowMillis) {
    int slot = selection.next(taken.isEmpty(), nowMillis);
    if (slot == SlotTable.NONE) {
      return false;
    }
    int attempt = partition.attempts(slot) + 1;
    Lease expired = slots.place(slot) == Place.LEASED ? partition.lease(slot) : null;
    if (expired == null) {
      partition.due().remove(slot);
    } else {
      partition.leases().suspend(expired);
    }
    taken.add(new Candidate(slot, expired, attempt));
    return true;
  }

  private void readTaken(long token, EngineTime now) {
    ReadMessage[] read =
        partition.reads().messages(taken.stream().mapToInt(Candidate::slot).toArray());
    for (ReadMessage message : read) {
      Candidate candidate = taken.get(leases.size());
      String id = id(candidate, message);
      if (id == null) {
        setAside++;
        taken.remove(leases.size());
        partition.setAside(
            candidate.slot,
            now.millisAfter(postponements.next(candidate.slot)),
            damage(candidate, message));
      } else {
        postponements.end(candidate.slot);
        leases.add(lease(candidate, id, token));
        deliver(leases.get(leases.size() - 1), message);
      }
    }
  }

  private @Nullable String id(Candidate candidate, ReadMessage read) {
    if (candidate.expired != null) {
      return candidate.expired.id;
    }
    MessageRecord record = read.record();
    return record == null ? null : partition.reads().trustedId(candidate.slot, record);
  }

  private JournalDamagedException damage(Candidate candidate, ReadMessage read) {
    JournalDamagedException damage = read.damage();
    return damage == null ? partition.reads().damaged(candidate.slot) : damage;
  }

  private Lease lease(Candidate candidate, String id, long token) {
    int slot = candidate.slot;
    Lease expired = candidate.expired;
    long due = expired == null ? partition.time(slot) : expired.dueMillis;
    attempts.add(
        partition.queue(), slots.sequence(slot), slots.hash(slot), token, candidate.attempt);
    return new Lease(slot, id, due, token, candidate.attempt, holder);
  }

  /** Adds a message to the reply, or an unreadable entry if the message can't be read. */
  private void deliver(Lease lease, ReadMessage read) {
    try {
      MessageRecord record = partition.reads().intact(lease.slot, read);
      Content content = record.content();
      byte[] history = partition.reads().history(lease.slot);
      delivered.add(lease.slot);
      messages.add(new Reply.Leased(lease.id, content, lease.dueMillis, lease.attempt, history));
    } catch (IllegalArgumentException | JournalDamagedException e) {
      unreadable.add(new Reply.Unreadable(lease.id, String.valueOf(e.getMessage())));
    }
  }

  private void putBack() {
    attempts.clear();
    for (Candidate candidate : taken) {
      if (candidate.expired == null) {
        partition.due().add(candidate.slot);
      } else {
        partition.leases().resume(candidate.expired);
      }
    }
  }

  private void lease(Candidate candidate, Lease next, long untilMillis) {
    if (candidate.expired != null) {
      partition.leases().remove(candidate.expired);
    }
    partition.lease(next, untilMillis);
  }

  /** Repeats the reply of a claim, with the messages that are still leased to it. */
  Reply.Claimed again(SessionAnswer.Claimed<?> answer, EngineTime now) {
    clear();
    long token = answer.token();
    for (String text : answer.ids()) {
      Lease lease = partition.findLease(Id.of(text, partition.hashSeed()));
      if (lease != null && rules.isStillClaimed(lease.slot, token, now)) {
        deliver(lease, partition.reads().message(lease.slot));
      }
    }
    return new Reply.Claimed(
        List.copyOf(messages), List.copyOf(unreadable), token, now.micros(), 0);
  }
}
