package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.Hint;
import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Texts;
import io.punctual.internal.runtime.SafetyInterval;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.Announcement;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The waits of all clients for hints. In place of the clients, asks the store at its interval for
 * due messages whose hint was lost, in one request for all of them. Thread-safe.
 */
final class Watches {
  /** How long hints are collected for a client that does not ask for them. */
  private static final Duration KEEP = Duration.ofSeconds(30);

  /** The interval of looks at the texts that a client has read. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  /** The pause between two hints about places that no partition has, or none in reach. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The time after which the next check no longer waits for the answer to the last. */
  private static final Duration LONGEST_CHECK = Duration.ofSeconds(60);

  private static final int MOST_CLIENTS = 20_000;

  /** Ten clients with as many partitions as a request may name. */
  private static final int MOST_PLACES_OF_SENDER = 100_000;

  private static final long DRAIN_PAUSE_MILLIS = 1_000;

  private final String server;
  private final Store store;
  private final DueTimer timer;
  private final SafetyInterval interval;

  /** The time from the answer to the last check to the next check. */
  private volatile long intervalNanos;

  private final Map<String, Watch> watches = new ConcurrentHashMap<>();
  private volatile boolean draining;

  /** Whether checks are planned or under way. */
  private boolean checks;

  /** The number of the chain of checks, which an error ends. */
  private long chain;

  Watches(String server, Store store, DueTimer timer) {
    this.server = server;
    this.store = store;
    this.timer = timer;
    this.interval = new SafetyInterval(store);
  }

  /**
   * Waits for hints.
   *
   * @param client a name of the client that is unique in the server
   * @param sender who sends the requests of the client and maybe of others
   */
  CompletableFuture<Hints> listen(
      String client, String sender, Request.Listen request, Map<Place, Partition> partitions) {
    if (draining) {
      return CompletableFuture.completedFuture(hints(List.of(), false));
    }
    if (watches.size() >= MOST_CLIENTS && !watches.containsKey(client)) {
      throw new Partition.NotSentException(
          "The server has " + MOST_CLIENTS + " clients that listen, and accepts no more", null);
    }
    Watch known = watches.get(client);
    if ((known == null || known.size() < partitions.size())
        && placesOf(sender) + partitions.size() > MOST_PLACES_OF_SENDER) {
      throw new Partition.NotSentException(
          sender + " listens to " + MOST_PLACES_OF_SENDER + " partitions already", null);
    }
    boolean isAgain = request.number() > 1;
    Watch watch = watches.computeIfAbsent(client, id -> new Watch(timer, sender, isAgain));
    try {
      return listen(client, watch, request, partitions);
    } catch (Throwable e) {
      // The client may not come back, and nothing else would forget it then.
      watch.endWait();
      watch.ended(true);
      forgetLater(client, watch, request.number());
      throw e;
    }
  }

  private CompletableFuture<Hints> listen(
      String client, Watch watch, Request.Listen request, Map<Place, Partition> partitions) {
    CompletableFuture<List<Hint>> answer =
        watch.listen(request.number(), request.isFresh(), partitions);
    if (request.places().isEmpty()) {
      watch.ended(true);
      remove(client, watch, request.number());
      return CompletableFuture.completedFuture(hints(List.of(), false));
    }
    beginChecks();
    long millis = Math.max(0, Math.min(request.waitMillis(), LONGEST_WAIT.toMillis()));
    Timeout end =
        timer.schedule(TimeUnit.MILLISECONDS.toNanos(millis), () -> answer.complete(List.of()));
    CompletableFuture<Hints> hints = new CompletableFuture<>();
    CompletableFuture<?> unused =
        hints.whenComplete(
            (sent, gone) -> {
              end.cancel();
              watch.ended(gone != null);
              answer.complete(List.of());
              forgetLater(client, watch, request.number());
            });
    CompletableFuture<?> ignored =
        answer.thenAccept(found -> hints.complete(hints(found, watch.takeTextsNew())));
    if (partitions.size() < request.places().size()) {
      timer.schedule(STALE_NANOS, () -> answer.complete(hintsOfMissing(request, partitions)));
    }
    return hints;
  }

  /** Counts a client as a place too. */
  private long placesOf(String sender) {
    return watches.values().stream()
        .filter(watch -> watch.sender().equals(sender))
        .mapToLong(watch -> 1L + watch.size())
        .sum();
  }

  /** Returns hints about the places without a partition in reach: the next call there tells why. */
  private static List<Hint> hintsOfMissing(
      Request.Listen request, Map<Place, Partition> partitions) {
    return request.places().stream()
        .filter(place -> !partitions.containsKey(place))
        .map(place -> new Hint(place, 0))
        .toList();
  }

  private Hints hints(List<Hint> hints, boolean areTextsNew) {
    return new Hints(server, hints, areTextsNew, draining ? DRAIN_PAUSE_MILLIS : 0);
  }

  private void forgetLater(String client, Watch watch, long number) {
    try {
      timer.schedule(KEEP, () -> remove(client, watch, number));
    } catch (RejectedExecutionException | Error e) {
      remove(client, watch, number);
    }
  }

  private void remove(String client, Watch watch, long number) {
    if (watch.closeAfter(number)) {
      watches.remove(client, watch);
    }
  }

  private synchronized void beginChecks() {
    if (!checks) {
      checks = true;
      long mine = chain;
      orEnd(mine, () -> checkLater(mine, 1));
    }
  }

  /**
   * Takes a step of a chain of checks. An error ends the chain, with all that is planned of it, and
   * the next client that listens begins another one.
   */
  private void orEnd(long mine, Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      synchronized (this) {
        if (mine == chain) {
          chain++;
          checks = false;
        }
      }
      throw e;
    }
  }

  private void checkLater(long mine, int partitions) {
    intervalNanos = interval.nanos(Math.max(1, partitions));
    timer.schedule(intervalNanos, () -> orEnd(mine, () -> check(mine)));
  }

  private void check(long mine) {
    Map<Place, Partition> asked = new HashMap<>();
    watches.values().forEach(each -> each.collect(asked));
    synchronized (this) {
      if (mine != chain) {
        return;
      }
      checks = !watches.isEmpty();
      if (!checks) {
        return;
      }
    }
    if (asked.isEmpty()) {
      checkLater(mine, 0);
    } else {
      ask(mine, asked);
    }
  }

  /** Plans the next check after the answer, from which a store may learn its interval. */
  private void ask(long mine, Map<Place, Partition> asked) {
    List<Place> places = new ArrayList<>(asked.keySet());
    List<Partition> partitions = places.stream().map(asked::get).toList();
    CompletableFuture<long[]> answer = new CompletableFuture<>();
    // A store that never answers must not end the checks.
    Timeout over = timer.schedule(LONGEST_CHECK, () -> answer.complete(new long[0]));
    CompletionStage<?> unused =
        answer.thenAccept(
            untils -> {
              over.cancel();
              orEnd(mine, () -> checkLater(mine, places.size()));
              for (int i = 0; i < untils.length; i++) {
                found(places.get(i), untils[i]);
              }
            });
    // A failure means that the store is away, which the calls of the clients find out.
    CompletionStage<?> ignored =
        StoreCall.stage(() -> store.untilNext(partitions))
            .whenComplete(
                (untils, failure) -> answer.complete(failure == null ? untils : new long[0]));
  }

  private void found(Place place, long untilMicros) {
    // A message that is due after the next check is left to the next check.
    if (untilMicros <= TimeUnit.NANOSECONDS.toMicros(intervalNanos)) {
      watches.values().forEach(each -> each.found(place, untilMicros));
    }
  }

  /**
   * Renews a text about a client while the client listens here. A client that has announced another
   * text, through another server, renews it there.
   *
   * @param reading reads the present text
   * @param renewal writes the text again
   * @return whether the client listens here
   */
  boolean renew(
      String listener,
      Request.Announce announce,
      StoreCall<List<Announcement>> reading,
      StoreCall<Boolean> renewal) {
    Watch watch = watches.get(listener);
    if (watch == null) {
      return false;
    }
    long number = watch.announced();
    if (!announce.text().isEmpty()) {
      renewLater(watch, number, announce, reading, renewal);
    }
    return true;
  }

  private void renewLater(
      Watch watch,
      long number,
      Request.Announce announce,
      StoreCall<List<Announcement>> reading,
      StoreCall<Boolean> renewal) {
    timer.schedule(
        announce.keep().dividedBy(3).plusMillis(1),
        () -> {
          if (watch.mayRenew(number)) {
            CompletionStage<?> unused =
                StoreCall.stage(reading)
                    .handle(
                        (found, failure) -> {
                          if (found == null || isLatest(announce, found)) {
                            CompletionStage<?> ignored = StoreCall.stage(renewal);
                            renewLater(watch, number, announce, reading, renewal);
                          }
                          return true;
                        })
                    .exceptionally(error -> watch.endRenewal(number));
          }
        });
  }

  /** Returns whether there is no other text about the client than this. */
  private static boolean isLatest(Request.Announce announce, List<Announcement> found) {
    return found.stream().allMatch(each -> each.text().equals(announce.text()));
  }

  /**
   * Reads texts, and looks for their change while the client listens here.
   *
   * @param reading reads the texts
   */
  CompletionStage<Texts> read(String listener, StoreCall<List<Announcement>> reading) {
    return reading
        .ask()
        .thenApply(
            found -> {
              Watch watch = watches.get(listener);
              if (watch != null) {
                watch.read(found);
                lookLater(watch, found, reading);
              }
              return new Texts(found, watch != null);
            });
  }

  private void lookLater(
      Watch watch, List<Announcement> read, StoreCall<List<Announcement>> reading) {
    timer.schedule(
        LOOK,
        () -> {
          if (watch.wants(read)) {
            CompletionStage<?> unused =
                StoreCall.stage(reading)
                    .handle(
                        (found, failure) -> {
                          if (found == null || texts(found).equals(texts(read))) {
                            lookLater(watch, read, reading);
                            return true;
                          }
                          return watch.textsChanged(read);
                        })
                    .exceptionally(error -> watch.textsChanged(read));
          }
        });
  }

  private static List<String> texts(List<Announcement> found) {
    return found.stream().map(each -> each.client() + '\n' + each.text()).sorted().toList();
  }

  void drain() {
    draining = true;
    watches.values().forEach(Watch::endWait);
  }

  void close() {
    drain();
    watches.values().forEach(Watch::close);
    watches.clear();
  }
}
