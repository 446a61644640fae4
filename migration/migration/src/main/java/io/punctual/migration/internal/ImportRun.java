package io.punctual.migration.internal;

import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.UndecodableException;
import io.punctual.migration.PayloadReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
  /**
   * The due time of held messages, until their release. Entries with this due time or a later one
   * are refused.
   */
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
  private final HeldMessages<T> messages;

  /** The number of entries that stay in the staging, because they could not be imported. */
  private long kept;

  /** Whether a step has failed. Its request may be executed late. */
  private boolean hasFailed;

  private long lastProgress = System.nanoTime();
  private boolean failing;

  /** The time of the first failure after the last successful step, while the run is failing. */
  private long failingSince;

  private long pauseMillis = POLL_MILLIS;

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
    this.messages = new HeldMessages<>(source, queue, tally);
  }

  /**
   * Runs until the source has no entry. A run that follows its source runs until the source is
   * finished. An interrupt of the thread stops the run.
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
        messages.awaitReleased();
        Throwable cause = TemporaryFailure.cause(e);
        if (!TemporaryFailure.is(cause) || isOutOfPatience() || isStopped()) {
          throw cause instanceof RuntimeException failure ? failure : e;
        }
        hasFailed = true;
        warn(cause);
        pause();
      }
    }
  }

  /**
   * Releases the marked entries and imports the staged entries that an earlier run or a failed step
   * has left.
   */
  private void recover() {
    releaseMarked();
    kept = 0;
    for (List<ImportEntry> batch = source.staged(kept, settings.batchSize());
        !batch.isEmpty() && !mustStop();
        batch = source.staged(kept, settings.batchSize())) {
      kept += move(batch);
    }
  }

  /** Gives the messages of marked entries their due times, and removes the entries. */
  public void releaseMarked() {
    for (List<ImportEntry> batch = source.marked(settings.batchSize());
        !batch.isEmpty();
        batch = source.marked(settings.batchSize())) {
      messages.release(batch, messages.held(batch));
      messages.finishRelease();
      succeeded();
    }
  }

  /** Removes the held messages of entries, for example before the entries return to the source. */
  public void withdrawHeld(List<ImportEntry> entries) {
    messages.withdraw(entries);
  }

  private boolean work() {
    while (!mustStop()) {
      List<ImportEntry> batch = source.stage(settings.batchSize());
      if (!batch.isEmpty()) {
        pauseMillis = POLL_MILLIS;
        kept += move(batch);
        continue;
      }
      messages.finishRelease();
      // Without a failed step, further staged entries belong to a second importer.
      if (hasFailed && hasLateEntries()) {
        recover();
        continue;
      }
      if (!settings.follow() || source.isFinished()) {
        return true;
      }
      succeeded();
      pause();
    }
    messages.finishRelease();
    return false;
  }

  /**
   * Returns whether the staging has entries that this run has not read. A step whose reply was lost
   * may be executed after {@link #recover}, for example when the network sends the request again.
   * Also lowers {@link #kept} to the number of staged entries.
   */
  private boolean hasLateEntries() {
    long staged = source.countStaged();
    kept = Math.min(kept, staged);
    return staged > kept;
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
    return isStopped();
  }

  private boolean isStopped() {
    return settings.stopped().getAsBoolean() || Thread.currentThread().isInterrupted();
  }

  /**
   * Moves staged entries into the queue.
   *
   * @return the number of entries that stay in the staging
   */
  private int move(List<ImportEntry> batch) {
    List<ImportEntry> readable = new ArrayList<>();
    List<Message<T>> read = new ArrayList<>();
    List<ImportEntry> refused = new ArrayList<>();
    Map<String, ImportEntry> byId = new HashMap<>();
    List<ImportEntry> distinct = new ArrayList<>();
    for (ImportEntry entry : batch) {
      ImportEntry same = byId.putIfAbsent(entry.id(), entry);
      if (same != null && Arrays.equals(same.token(), entry.token())) {
        continue;
      }
      distinct.add(entry);
      tally.found(entry);
      Message<T> message = message(entry);
      if (message == null) {
        refused.add(entry);
      } else if (same != null) {
        tally.left(entry.id() + " (second)", "Two entries have this id");
      } else {
        readable.add(entry);
        read.add(message);
      }
    }
    if (messages.isReleasingAny(byId.keySet())) {
      // The earlier batch has an entry with the id of an entry in this batch, and its message may
      // still be held. Without this wait, the two entries could become a single message.
      messages.finishRelease();
    }
    List<ImportEntry> held = new ArrayList<>();
    List<ImportEntry> done = new ArrayList<>();
    schedule(readable, read, new Sorted(held, done, refused));
    done.addAll(held);
    if (!done.isEmpty()) {
      List<ImportEntry> marked = source.mark(done);
      if (marked.size() < done.size()) {
        Set<String> ids = marked.stream().map(ImportEntry::id).collect(Collectors.toSet());
        withdrawGone(held.stream().filter(entry -> !ids.contains(entry.id())).toList());
        held.removeIf(entry -> !ids.contains(entry.id()));
        tally.addDetail(GONE, done.size() - marked.size());
      }
      messages.finishRelease();
      messages.release(marked, held);
    }
    List<ImportEntry> returned = refused.isEmpty() ? refused : giveBack(refused);
    succeeded();
    int staying = distinct.size() - done.size() - returned.size();
    if (staying > 0) {
      distinct.removeAll(done);
      distinct.removeAll(returned);
      log.warn(
          "{} entries stay in the staging, where neither side delivers them, beginning with '{}'."
              + " The report of the import has the reasons; an abort gives the entries back",
          staying,
          distinct.get(0).id());
    }
    return staying;
  }

  /**
   * Removes the held messages of entries that this run could not mark, unless a second importer
   * releases these messages.
   */
  private void withdrawGone(List<ImportEntry> entries) {
    List<ImportEntry> gone = entries.isEmpty() ? entries : source.gone(entries);
    if (!gone.isEmpty()) {
      log.info("{} entries have left the source during the import", gone.size());
      messages.withdraw(gone);
    }
  }

  private List<ImportEntry> giveBack(List<ImportEntry> entries) {
    messages.withdraw(entries);
    return source.giveBack(entries);
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
  private void schedule(List<ImportEntry> entries, List<Message<T>> read, Sorted sorted) {
    List<Scheduled> outcomes;
    try {
      outcomes = queue.scheduleAll(read, IfPresent.KEEP);
    } catch (IllegalArgumentException e) {
      if (read.size() > 1) {
        for (int i = 0; i < read.size(); i++) {
          schedule(List.of(entries.get(i)), List.of(read.get(i)), sorted);
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
          && hasPayload(entry.id(), read.get(i).payload())) {
        tally.present();
        sorted.done.add(entry);
      } else {
        tally.left(entry.id(), "The queue has a different message with this id");
      }
    }
  }

  /** Returns whether the queue has a message with this id and this payload. */
  private boolean hasPayload(String id, T payload) {
    try {
      return queue
          .find(id)
          .filter(message -> Objects.deepEquals(message.payload(), payload))
          .isPresent();
    } catch (UndecodableException e) {
      return false;
    }
  }

  private boolean isOutOfPatience() {
    long failingNanos = failing ? System.nanoTime() - failingSince : 0;
    return !settings.follow() && failingNanos >= TimeUnit.NANOSECONDS.convert(settings.patience());
  }

  private void succeeded() {
    long now = System.nanoTime();
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

  /** Reports a failure. Logs only the first failure of an outage. */
  private void warn(Throwable failure) {
    settings.waits().accept(String.valueOf(failure.getMessage()));
    if (!failing) {
      failing = true;
      failingSince = System.nanoTime();
      log.warn(
          "A step of the import failed, and is repeated {}: {}",
          settings.follow() ? "until it succeeds" : "for up to " + text(settings.patience()),
          failure.getMessage());
    }
  }

  /** Returns a duration as the command line reads it, such as 1m30s. */
  private static String text(Duration duration) {
    return duration.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  private void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
    pauseMillis = Math.min(MAX_PAUSE_MILLIS, pauseMillis * 2);
  }
}
