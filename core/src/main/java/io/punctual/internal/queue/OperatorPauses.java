package io.punctual.internal.queue;

import io.punctual.PauseWorkerOutcome;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.Announcement;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * The pauses of workers that operators ask for. An operator's client leaves a note for the worker
 * in the store's announcements, and then changes the bell of the worker's client. Each client reads
 * its bell at an interval, and after a change the notes for its workers. So a client with thousands
 * of workers reads one short text at an interval, and operators that write at the same time do not
 * overwrite each other's notes. Thread-safe.
 */
final class OperatorPauses {
  /** How long the store keeps notes. It is longer than the interval and most outages. */
  private static final Duration KEEP = Duration.ofMinutes(10);

  private static final String BELL = "bell";
  private static final String NOTE = "note";
  private static final String PAUSE = "pause ";
  private static final String RESUME = "resume ";
  private static final Logger log = Logs.of(OperatorPauses.class);

  private final Store store;
  private final Environment env;
  private final String client;
  private final Runnable changed;
  private final AtomicBoolean isReading = new AtomicBoolean();

  /** The last note that each worker has obeyed, by the worker's number. */
  private final Map<Long, String> obeyed = new ConcurrentHashMap<>();

  /** The text of the bell when this client last read its notes. */
  private volatile String heard = "";

  /**
   * Creates the pauses of a client.
   *
   * @param changed runs after a worker was paused or resumed
   */
  OperatorPauses(Store store, Environment env, String client, Runnable changed) {
    this.store = store;
    this.env = env;
    this.client = client;
    this.changed = changed;
  }

  /** Asks a worker of another client. */
  CompletionStage<PauseWorkerOutcome> ask(String other, long number, boolean paused) {
    // The random part tells a repeated request from a note that was obeyed already.
    String text = (paused ? PAUSE : RESUME) + LeaseHolders.newId(env.randomGenerator());
    return store
        .announce(note(other, number), text, KEEP)
        .thenCompose(written -> store.announce(other + BELL, text, KEEP))
        .thenApply(rung -> PauseWorkerOutcome.REQUESTED);
  }

  private static String note(String client, long number) {
    return client + NOTE + number;
  }

  /** Pauses or resumes a worker of this client. */
  void obey(Announced worker, boolean paused) {
    if (worker.isPausedByOperator() == paused) {
      return;
    }
    BlockingGuard.callbacks(() -> worker.pauseByOperator(paused));
    log.info(
        "Worker '{}' of queue '{}' was {} by an operator",
        worker.name(),
        worker.queue(),
        paused ? "paused" : "resumed");
    changed.run();
  }

  /**
   * Reads the bell, and if it has changed, the notes for these workers of this client. After a
   * failure, the next call reads them again.
   */
  void read(List<ListedWorker.Own> workers) {
    if (!isReading.compareAndSet(false, true)) {
      return;
    }
    StoreCall<List<Announcement>> bell = () -> store.announcements(List.of(client + BELL));
    CompletionStage<?> unused =
        StoreCall.stage(bell)
            .thenCompose(bells -> bells.isEmpty() ? nothing() : answer(bells.get(0), workers))
            .whenComplete(
                (done, failure) -> {
                  isReading.set(false);
                  if (failure != null) {
                    log.debug("The pauses of workers can't be read now", failure);
                  }
                });
  }

  private static CompletionStage<Boolean> nothing() {
    return CompletableFuture.completedStage(false);
  }

  private CompletionStage<Boolean> answer(Announcement bell, List<ListedWorker.Own> workers) {
    if (bell.text().equals(heard)) {
      return nothing();
    }
    Map<String, ListedWorker.Own> byNote = new HashMap<>();
    workers.forEach(each -> byNote.put(note(client, each.number()), each));
    obeyed.keySet().retainAll(workers.stream().map(ListedWorker.Own::number).toList());
    return readNotes(List.copyOf(byNote.keySet()), byNote)
        .thenApply(
            done -> {
              heard = bell.text();
              return true;
            });
  }

  private CompletionStage<Boolean> readNotes(
      List<String> names, Map<String, ListedWorker.Own> workers) {
    if (names.isEmpty()) {
      return nothing();
    }
    int end = Math.min(Partition.MAX_PAGE, names.size());
    return store
        .announcements(names.subList(0, end))
        .thenCompose(
            notes -> {
              notes.forEach(
                  note -> obey(Objects.requireNonNull(workers.get(note.client())), note.text()));
              return readNotes(names.subList(end, names.size()), workers);
            });
  }

  private void obey(ListedWorker.Own worker, String note) {
    if (!note.equals(obeyed.get(worker.number()))) {
      obey(worker.worker(), note.startsWith(PAUSE));
      obeyed.put(worker.number(), note);
    }
  }
}
