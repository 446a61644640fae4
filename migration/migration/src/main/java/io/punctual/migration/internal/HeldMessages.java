package io.punctual.migration.internal;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.RescheduleOutcome;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The held messages of an import: messages whose due time is {@link ImportRun#HELD}. Releases them
 * batch by batch, while the run already stages the next batch, or removes them. Not thread-safe.
 *
 * @param <T> the payload's type
 */
final class HeldMessages<T> {
  /** The name of the count of messages that were cancelled or removed before their release. */
  private static final String CANCELLED = "cancelled";

  private final ImportSource source;
  private final TimedQueue<T> queue;
  private final ImportTally tally;
  private List<ImportEntry> releasing = List.of();
  private List<CompletableFuture<RescheduleOutcome>> released = List.of();

  HeldMessages(ImportSource source, TimedQueue<T> queue, ImportTally tally) {
    this.source = source;
    this.queue = queue;
    this.tally = tally;
  }

  /** Returns the entries whose messages are still held. */
  List<ImportEntry> held(List<ImportEntry> entries) {
    List<Optional<StoredMessage<T>>> found =
        queue.findAll(entries.stream().map(ImportEntry::id).toList());
    List<ImportEntry> held = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      if (found.get(i).filter(HeldMessages::isHeld).isPresent()) {
        held.add(entries.get(i));
      }
    }
    return held;
  }

  private static boolean isHeld(StoredMessage<?> message) {
    return message.state() == State.SCHEDULED && message.dueAt().equals(ImportRun.HELD);
  }

  /** Removes the messages of these entries that are still held. */
  void withdraw(List<ImportEntry> entries) {
    List<CancelOutcome> unused =
        queue.cancelAll(held(entries).stream().map(ImportEntry::id).toList());
  }

  /**
   * Begins to give held messages the due times of their entries.
   *
   * @param marked the batch: entries that the source has marked
   * @param held the entries of the batch whose messages are held
   */
  void release(List<ImportEntry> marked, List<ImportEntry> held) {
    releasing = marked;
    released = new ArrayList<>(held.size());
    for (ImportEntry entry : held) {
      Due due = Due.at(Instant.ofEpochMilli(entry.dueMillis()));
      released.add(queue.async().reschedule(entry.id(), due).toCompletableFuture());
    }
  }

  /** Returns whether the batch of {@link #release} has an entry with one of these ids. */
  boolean isReleasingAny(Set<String> ids) {
    return releasing.stream().anyMatch(entry -> ids.contains(entry.id()));
  }

  /**
   * Waits until the messages of the batch of {@link #release} have their due times, and removes the
   * entries of the batch.
   */
  void finishRelease() {
    List<ImportEntry> marked = releasing;
    List<CompletableFuture<RescheduleOutcome>> changes = released;
    awaitReleased();
    changes.forEach(CompletableFuture::join);
    if (!marked.isEmpty()) {
      source.remove(marked);
    }
  }

  /**
   * Waits for the pending changes of due times, and counts the messages that have been changed, and
   * the messages that a different program has cancelled or removed before.
   */
  void awaitReleased() {
    long changed = 0;
    long removed = 0;
    for (CompletableFuture<RescheduleOutcome> change : released) {
      RescheduleOutcome outcome = change.exceptionally(failure -> null).join();
      changed += outcome == RescheduleOutcome.RESCHEDULED ? 1 : 0;
      removed += outcome == RescheduleOutcome.NOT_FOUND ? 1 : 0;
    }
    tally.scheduled(changed);
    if (removed > 0) {
      tally.addDetail(CANCELLED, removed);
    }
    releasing = List.of();
    released = List.of();
  }
}
