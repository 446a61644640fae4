package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.Hint;
import io.punctual.httpstore.wire.Place;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.timer.DueTimer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that one client listens to. Collects their hints while no request of the client
 * waits, so that none is lost between two requests. No lock is held while the store is called.
 * Thread-safe.
 */
final class Watch {
  /** The longest time between two requests of a client that listens. */
  private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final DueTimer timer;
  private final String sender;
  private final Map<Place, Watched> watched = new HashMap<>();
  private long number;
  private @Nullable CompletableFuture<List<Hint>> waiting;

  /** The number of texts about the client so far. */
  private long announced;

  /** Whether the last request has an answer, so that the client sends the next. */
  private boolean isAnswered;

  private long endNanos;

  private @Nullable Object texts;

  /** Whether the texts that the client has read have changed, or are no longer looked at. */
  private boolean areTextsNew;

  /** Whether the client has to announce again, because its text is no longer renewed here. */
  private boolean isRenewalOver;

  private boolean closed;

  /** A partition with its earliest hint that was not sent yet. */
  private final class Watched {
    final Place place;
    final Partition partition;
    @Nullable Registration registration;

    /** Whether there is a hint. */
    boolean isHinted = true;

    /** The time of the hint on the timer's clock; a new registration begins with a hint. */
    long atNanos = timer.nanoTime();

    Watched(Place place, Partition partition) {
      this.place = place;
      this.partition = partition;
    }

    void hint(long untilNextMicros) {
      if (untilNextMicros == Reply.NONE) {
        return;
      }
      long at = timer.nanoTime() + TimeUnit.MICROSECONDS.toNanos(untilNextMicros);
      synchronized (Watch.this) {
        note(at);
      }
      answer();
    }

    private void note(long at) {
      if (!isHinted || at - atNanos < 0) {
        atNanos = at;
      }
      isHinted = true;
    }

    Hint take(long nowNanos) {
      isHinted = false;
      return new Hint(place, Math.max(0, TimeUnit.NANOSECONDS.toMicros(atNanos - nowNanos)));
    }
  }

  /**
   * Creates a watch.
   *
   * @param isAgain whether the client has listened before, and may rely on an earlier watch
   */
  Watch(DueTimer timer, String sender, boolean isAgain) {
    this.timer = timer;
    this.sender = sender;
    isRenewalOver = isAgain;
  }

  String sender() {
    return sender;
  }

  /** Returns the number of partitions. */
  synchronized int size() {
    return watched.size();
  }

  /**
   * Waits for hints about these partitions, instead of the partitions of earlier calls.
   *
   * @param newNumber greater than the numbers of earlier calls; otherwise the answer is empty
   * @param isFresh whether all partitions get a hint
   * @return the hints; also completes without hints when a later call begins
   */
  CompletableFuture<List<Hint>> listen(
      long newNumber, boolean isFresh, Map<Place, Partition> partitions) {
    CompletableFuture<List<Hint>> mine = new CompletableFuture<>();
    CompletableFuture<List<Hint>> before;
    List<Watched> added = new ArrayList<>();
    List<Watched> removed = new ArrayList<>();
    synchronized (this) {
      if (newNumber <= number || closed) {
        return CompletableFuture.completedFuture(List.of());
      }
      number = newNumber;
      before = waiting;
      waiting = mine;
      change(partitions, added, removed);
      if (isFresh) {
        watched.values().forEach(each -> each.isHinted = true);
      }
    }
    if (before != null) {
      before.complete(List.of());
    }
    try {
      removed.forEach(Watch::unregister);
      added.forEach(this::register);
    } catch (Throwable e) {
      forgetUnregistered(added);
      throw e;
    }
    answer();
    if (hasNewTexts()) {
      mine.complete(List.of());
    }
    return mine;
  }

  private void change(
      Map<Place, Partition> partitions, List<Watched> added, List<Watched> removed) {
    Set<Place> gone = new HashSet<>(watched.keySet());
    gone.removeAll(partitions.keySet());
    gone.forEach(place -> removed.add(watched.remove(place)));
    partitions.forEach(
        (place, partition) -> {
          if (!watched.containsKey(place)) {
            Watched each = new Watched(place, partition);
            watched.put(place, each);
            added.add(each);
          }
        });
  }

  private void register(Watched each) {
    Registration registration = each.partition.onWakeUp(each::hint);
    boolean isOver;
    synchronized (this) {
      isOver = watched.get(each.place) != each;
      each.registration = registration;
    }
    if (isOver) {
      registration.close();
    }
  }

  /** Forgets partitions after an error, so that the client's next request registers them. */
  private synchronized void forgetUnregistered(List<Watched> added) {
    for (Watched each : added) {
      if (each.registration == null) {
        watched.remove(each.place, each);
      }
    }
  }

  private static void unregister(Watched each) {
    Registration registration = each.registration;
    if (registration != null) {
      registration.close();
    }
  }

  /** Answers the waiting request, if there are hints. */
  private void answer() {
    boolean isDone;
    do {
      isDone = answerOne();
    } while (!isDone);
  }

  /** Returns false if the request had ended, so that hints are left for the next one. */
  private boolean answerOne() {
    CompletableFuture<List<Hint>> ready;
    List<Hint> hints;
    long now = timer.nanoTime();
    synchronized (this) {
      ready = waiting;
      if (ready == null || ready.isDone()) {
        return true;
      }
      hints =
          watched.values().stream()
              .filter(each -> each.isHinted)
              .map(each -> each.take(now))
              .toList();
      if (hints.isEmpty()) {
        return true;
      }
      waiting = null;
    }
    if (ready.complete(hints)) {
      return true;
    }
    // The client may wait again already, and has found no hints.
    keep(hints, now);
    return false;
  }

  /** Keeps hints that nobody received, because the request had ended. */
  private synchronized void keep(List<Hint> hints, long takenNanos) {
    for (Hint hint : hints) {
      Watched each = watched.get(hint.place());
      if (each != null) {
        each.note(takenNanos + TimeUnit.MICROSECONDS.toNanos(hint.untilNextMicros()));
      }
    }
  }

  /** Notes that there is a new text about the client, and returns its number. */
  synchronized long announced() {
    isRenewalOver = false;
    return ++announced;
  }

  /** Notes the texts that the client has read, of which it will be told a change. */
  synchronized void read(Object newest) {
    texts = newest;
    areTextsNew = false;
  }

  /**
   * Returns whether the client listens, and still wants to be told a change of these texts. A
   * client that is absent for longer reads them again when it is back.
   */
  synchronized boolean wants(Object read) {
    if (texts != read || isPresent()) {
      return texts == read;
    }
    texts = null;
    areTextsNew = true;
    return false;
  }

  /**
   * Tells the client that the texts have changed, or are no longer looked at; returns whether they
   * are the last that it has read.
   */
  boolean textsChanged(Object read) {
    synchronized (this) {
      if (texts != read) {
        return false;
      }
      texts = null;
      areTextsNew = true;
    }
    endWait();
    return true;
  }

  private synchronized boolean hasNewTexts() {
    return areTextsNew || isRenewalOver;
  }

  /** Returns whether the client has to read and announce texts again since the last call. */
  synchronized boolean takeTextsNew() {
    boolean taken = hasNewTexts();
    areTextsNew = false;
    isRenewalOver = false;
    return taken;
  }

  /**
   * Returns whether this is the latest text about the client, and the client listens. A client that
   * is absent for longer announces its text again when it is back.
   */
  synchronized boolean mayRenew(long text) {
    if (announced != text || isPresent()) {
      return announced == text;
    }
    isRenewalOver = true;
    return false;
  }

  /**
   * Tells the client to announce its text again after an error; returns whether this is the latest.
   */
  boolean endRenewal(long text) {
    synchronized (this) {
      if (announced != text) {
        return false;
      }
      isRenewalOver = true;
    }
    endWait();
    return true;
  }

  /**
   * Notes the end of a request.
   *
   * @param isGone whether the client is gone, or listens no longer
   */
  synchronized void ended(boolean isGone) {
    isAnswered = !isGone;
    endNanos = timer.nanoTime();
  }

  /** Returns whether the client waits, or is between two requests. */
  private boolean isPresent() {
    return (waiting != null && !waiting.isDone())
        || (isAnswered && timer.nanoTime() - endNanos < BETWEEN_NANOS);
  }

  /** Adds the partitions for which a request waits, or is expected in a moment. */
  synchronized void collect(Map<Place, Partition> into) {
    if (isPresent()) {
      watched.forEach((place, each) -> into.put(place, each.partition));
    }
  }

  /** Passes a hint that the safety check found. */
  void found(Place place, long untilNextMicros) {
    Watched each;
    synchronized (this) {
      each = watched.get(place);
    }
    if (each != null) {
      each.hint(untilNextMicros);
    }
  }

  /** Ends the waiting request without hints. */
  void endWait() {
    CompletableFuture<List<Hint>> ended;
    synchronized (this) {
      ended = waiting;
      waiting = null;
    }
    if (ended != null) {
      ended.complete(List.of());
    }
  }

  /** Closes if no request has come since this number; returns whether it is closed. */
  boolean closeAfter(long last) {
    Collection<Watched> all;
    synchronized (this) {
      if (number != last || closed) {
        return closed;
      }
      closed = true;
      all = List.copyOf(watched.values());
      watched.clear();
    }
    endWait();
    all.forEach(Watch::unregister);
    return true;
  }

  void close() {
    long last;
    synchronized (this) {
      last = number;
    }
    boolean unused = closeAfter(last);
  }
}
