package io.punctual.migration.internal;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.migration.PayloadReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the entries of a source into a queue. A run that dies at any point can be repeated: no
 * entry is lost, and no entry is delivered twice by Punctual. Each batch takes these steps:
 *
 * <ol>
 *   <li>The source moves the entries to its staging (see {@link ImportSource}).
 *   <li>The run schedules a held message for each entry: its due time is {@link #HELD}, in the far
 *       future, so that no worker receives the message. A repeated step keeps the message.
 *   <li>The source marks the entries.
 *   <li>The run gives each held message the due time of its entry. A repeated step changes held
 *       messages only, so a message that was delivered in the meantime is not delivered again.
 *   <li>The source removes the marked entries.
 * </ol>
 *
 * <p>While the store executes step 4, the run takes the first three steps of the next batch.
 *
 * <p>The run begins with the marked and the staged entries of an earlier run. Not thread-safe.
 *
 * @param <T> the payload's type
 */
public final class ImportRun<T> {
  /** The due time of messages whose entries are not marked yet. Later entries are refused. */
  public static final Instant HELD = Instant.parse("2900-01-01T00:00:00Z");

  /** The name of the count of staged entries. */
  public static final String STAGED = "staged";

  /** The name of the count of entries that a different program took during their import. */
  private static final String GONE = "gone";

  private static final Logger log = LoggerFactory.getLogger(ImportRun.class);
  private static final long POLL_MILLIS = 50;
  private static final long MAX_PAUSE_MILLIS = 1000;
  private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ImportSource source;
  private final TimedQueue<T> queue;
  private final PayloadReader<T> payloads;
  private final RunSettings settings;
  private final ImportTally tally;
  private List<ImportEntry> releasing = List.of();
  private List<CompletableFuture<RescheduleOutcome>> released = List.of();
  private long lastProgress = System.nanoTime();
  private long lastSuccess = System.nanoTime();
  private boolean failing;
  private long pauseMillis = POLL_MILLIS;

  /** Creates a run. */
  public ImportRun(
      ImportSource source,
      TimedQueue<T> queue,
      PayloadReader<T> payloads,
      RunSettings settings,
      ImportTally tally) {
    this.source = source;
    this.queue = queue;
    this.payloads = payloads;
    this.settings = settings;
    this.tally = tally;
  }

  /**
   * Runs until the source has no entry. A run that follows its source runs until the source is
   * finished.
   *
   * @return true if the source returned no further entry; false if the run ended earlier, because
   *     it was stopped or too many entries could not be imported
   * @throws io.punctual.PunctualException if a step fails and a repetition can't help, or fails for
   *     longer than {@link RunSettings#patience}, or the run is stopped while a step fails. A run
   *     that follows its source has unlimited patience. A later run continues with the same entries
   */
  public boolean run() {
    while (true) {
      try {
        recover();
        boolean ended = work();
        noteStaged();
        return ended;
      } catch (RuntimeException e) {
        awaitReleased();
        Throwable cause = TemporaryFailure.cause(e);
        boolean late =
            !settings.follow() && System.nanoTime() - lastSuccess > settings.patience().toNanos();
        if (!TemporaryFailure.is(cause) || late || settings.stopped().getAsBoolean()) {
          throw cause instanceof RuntimeException failure ? failure : e;
        }
        warn(cause);
        pause();
      }
    }
  }

  /** Releases the marked entries of an earlier run, and imports the staged entries. */
  private void recover() {
    releaseMarked();
    long skipped = 0;
    for (List<ImportEntry> batch = source.staged(skipped, settings.batchSize());
        !batch.isEmpty() && !mustStop();
        batch = source.staged(skipped, settings.batchSize())) {
      skipped += move(batch);
    }
  }

  /** Gives the messages of marked entries their due times, and removes the entries. */
  public void releaseMarked() {
    for (List<ImportEntry> batch = source.marked(settings.batchSize());
        !batch.isEmpty();
        batch = source.marked(settings.batchSize())) {
      release(batch, held(batch));
      finishRelease();
      succeeded();
    }
  }

  /** Returns the entries whose messages are still held. */
  public List<ImportEntry> held(List<ImportEntry> entries) {
    List<Optional<StoredMessage<T>>> found =
        queue.findAll(entries.stream().map(ImportEntry::id).toList());
    List<ImportEntry> held = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      if (found.get(i).filter(ImportRun::isHeld).isPresent()) {
        held.add(entries.get(i));
      }
    }
    return held;
  }

  private static boolean isHeld(StoredMessage<?> message) {
    return message.state() == State.SCHEDULED && message.dueAt().equals(HELD);
  }

  private boolean work() {
    while (!mustStop()) {
      List<ImportEntry> batch = source.stage(settings.batchSize());
      if (!batch.isEmpty()) {
        pauseMillis = POLL_MILLIS;
        int unused = move(batch);
        continue;
      }
      finishRelease();
      if (!settings.follow() || source.isFinished()) {
        return true;
      }
      succeeded();
      pause();
    }
    finishRelease();
    return false;
  }

  /** Reports the entries in the staging, which neither Punctual nor the old queue delivers. */
  private void noteStaged() {
    long staged = source.countStaged();
    if (staged > 0) {
      tally.detail(STAGED, staged);
    }
  }

  private boolean mustStop() {
    if (tally.left() > settings.maxLeft()) {
      log.warn(
          "The import stops, because {} entries could not be imported; the first reason: {}",
          tally.left(),
          tally.report(false).problems().get(0).reason());
      return true;
    }
    return settings.stopped().getAsBoolean();
  }

  /**
   * Moves staged entries into the queue.
   *
   * @return the number of entries that stay in the staging
   */
  private int move(List<ImportEntry> batch) {
    List<ImportEntry> readable = new ArrayList<>();
    List<Message<T>> messages = new ArrayList<>();
    List<ImportEntry> refused = new ArrayList<>();
    Map<String, ImportEntry> byId = new HashMap<>();
    for (ImportEntry entry : batch) {
      ImportEntry same = byId.putIfAbsent(entry.id(), entry);
      if (same != null && Arrays.equals(same.token(), entry.token())) {
        continue;
      }
      tally.found(entry);
      Message<T> message = message(entry);
      if (message == null) {
        refused.add(entry);
      } else if (same != null) {
        tally.left(entry.id() + " (second)", "Two entries have this id");
      } else {
        readable.add(entry);
        messages.add(message);
      }
    }
    if (releasing.stream().anyMatch(entry -> byId.containsKey(entry.id()))) {
      // The earlier batch has an entry with the same id, whose message may still be held. Without
      // this wait, the two entries could become a single message.
      finishRelease();
    }
    List<ImportEntry> held = new ArrayList<>();
    List<ImportEntry> done = new ArrayList<>();
    schedule(readable, messages, new Sorted(held, done, refused));
    done.addAll(held);
    if (!done.isEmpty()) {
      List<ImportEntry> marked = source.mark(done);
      finishRelease();
      if (marked.size() < done.size()) {
        Set<String> ids = marked.stream().map(ImportEntry::id).collect(Collectors.toSet());
        withdraw(held.stream().filter(entry -> !ids.contains(entry.id())).toList());
        held.removeIf(entry -> !ids.contains(entry.id()));
        tally.addDetail(GONE, done.size() - marked.size());
      }
      release(marked, held);
    }
    int returned = refused.isEmpty() ? 0 : giveBack(refused);
    succeeded();
    return batch.size() - done.size() - returned;
  }

  /** Removes the held messages of entries that the source does not have any more. */
  private void withdraw(List<ImportEntry> entries) {
    if (!entries.isEmpty()) {
      log.info("{} entries have left the source during the import", entries.size());
      withdrawHeld(entries);
    }
  }

  private int giveBack(List<ImportEntry> entries) {
    withdrawHeld(entries);
    return source.giveBack(entries);
  }

  /** Removes the held messages of entries, for example before the entries return to the source. */
  public void withdrawHeld(List<ImportEntry> entries) {
    List<CancelOutcome> unused =
        queue.cancelAll(held(entries).stream().map(ImportEntry::id).toList());
  }

  /** The entries of a batch, sorted by the outcomes of their messages. */
  private record Sorted(
      List<ImportEntry> held, List<ImportEntry> done, List<ImportEntry> refused) {}

  private @Nullable Message<T> message(ImportEntry entry) {
    String problem = entry.problem();
    if (problem == null && entry.dueMillis() >= HELD.toEpochMilli()) {
      problem = "It is due after " + HELD;
    }
    if (problem == null) {
      try {
        return Message.of(payloads.read(entry.payload())).id(entry.id()).dueAt(HELD);
      } catch (Exception e) {
        problem = EntryCheck.unreadable(e);
      }
    }
    tally.left(entry.id(), problem);
    return null;
  }

  /** Schedules the messages, and sorts their entries by the outcomes. */
  private void schedule(List<ImportEntry> entries, List<Message<T>> messages, Sorted sorted) {
    List<Scheduled> outcomes;
    try {
      outcomes = queue.scheduleAll(messages, IfPresent.KEEP);
    } catch (IllegalArgumentException e) {
      if (messages.size() > 1) {
        for (int i = 0; i < messages.size(); i++) {
          schedule(List.of(entries.get(i)), List.of(messages.get(i)), sorted);
        }
      } else {
        tally.left(entries.get(0).id(), "Its message is refused: " + e.getMessage());
        sorted.refused.add(entries.get(0));
      }
      return;
    }
    for (int i = 0; i < entries.size(); i++) {
      ImportEntry entry = entries.get(i);
      Scheduled outcome = outcomes.get(i);
      if (outcome.dueAt().equals(HELD)) {
        sorted.held.add(entry);
      } else if (outcome.dueAt().toEpochMilli() == entry.dueMillis()
          && hasPayload(entry.id(), messages.get(i).payload())) {
        tally.present();
        sorted.done.add(entry);
      } else {
        tally.left(entry.id(), "The queue has a different message with this id");
      }
    }
  }

  /** Returns whether the queue has a message with this id and this payload. */
  private boolean hasPayload(String id, T payload) {
    return queue
        .find(id)
        .filter(message -> Objects.deepEquals(message.payload(), payload))
        .isPresent();
  }

  /**
   * Begins to give held messages the due times of their entries.
   *
   * @param marked the batch
   * @param held the entries of the batch whose messages are held
   */
  private void release(List<ImportEntry> marked, List<ImportEntry> held) {
    releasing = marked;
    released = new ArrayList<>(held.size());
    for (ImportEntry entry : held) {
      Due due = Due.at(Instant.ofEpochMilli(entry.dueMillis()));
      released.add(queue.rescheduleAsync(entry.id(), due).toCompletableFuture());
    }
  }

  /**
   * Waits until the messages of the batch of {@link #release} have their due times, and removes the
   * entries of the batch.
   */
  private void finishRelease() {
    List<ImportEntry> marked = releasing;
    List<CompletableFuture<RescheduleOutcome>> changes = released;
    awaitReleased();
    changes.forEach(CompletableFuture::join);
    if (!marked.isEmpty()) {
      source.remove(marked);
    }
  }

  /** Waits for the pending changes of due times, and counts the messages that have been changed. */
  private void awaitReleased() {
    for (CompletableFuture<RescheduleOutcome> change : released) {
      tally.scheduled(
          change
              .handle((outcome, failure) -> outcome == RescheduleOutcome.RESCHEDULED ? 1 : 0)
              .join());
    }
    releasing = List.of();
    released = List.of();
  }

  private void succeeded() {
    long now = System.nanoTime();
    lastSuccess = now;
    if (failing) {
      failing = false;
      pauseMillis = POLL_MILLIS;
      log.info("The import continues");
    }
    if (now - lastProgress >= PROGRESS_NANOS) {
      lastProgress = now;
      settings.progress().accept(tally.report(false));
    }
  }

  /** Logs the first failure of an outage. */
  private void warn(Throwable failure) {
    if (!failing) {
      failing = true;
      log.warn(
          "A step of the import failed, and is repeated {}: {}",
          settings.follow() ? "until it succeeds" : "for up to " + settings.patience(),
          failure.getMessage());
    }
  }

  private void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
    pauseMillis = Math.min(MAX_PAUSE_MILLIS, pauseMillis * 2);
  }
}
