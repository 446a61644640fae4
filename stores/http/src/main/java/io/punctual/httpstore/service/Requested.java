package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.PartitionInfo;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Welcome;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What each kind of request does with the store. Thread-safe. */
final class Requested {
  private final String server = Long.toHexString(new SecureRandom().nextLong());
  private final Store store;
  private final KnownPartitions partitions;
  private final SessionOrder order;
  private final Copies copies = new Copies();
  private final Watches watches;
  private final Announcements announcements;
  private final Listing listing;
  private final Map<Class<?>, Action<?, ?>> actions = new HashMap<>();

  /** Executes a kind of request. */
  @FunctionalInterface
  private interface Action<A, R extends Request<A>> {
    CompletionStage<A> answer(R request, Access access);
  }

  Requested(Store store, DueTimer timer, InstantSource clock, Duration patience) {
    this.store = store;
    partitions = new KnownPartitions(store, timer);
    order = new SessionOrder(timer, patience);
    watches = new Watches(server, store, timer);
    announcements = new Announcements(store, clock);
    listing = new Listing(store);
    ofStore();
    ofQueues();
    ofPartitions();
  }

  private <A, R extends Request<A>> void on(Class<R> type, Action<A, R> action) {
    actions.put(type, action);
  }

  /** Returns the kinds of requests that have an action. */
  Set<Class<?>> kinds() {
    return actions.keySet();
  }

  @SuppressWarnings("unchecked") // The method on() has put an action for the class of the request.
  CompletionStage<?> answer(Request<?> request, Access access) {
    Action<Object, Request<Object>> action =
        (Action<Object, Request<Object>>) Objects.requireNonNull(actions.get(request.getClass()));
    return action.answer((Request<Object>) request, access);
  }

  private void ofStore() {
    on(Request.Hello.class, (hello, access) -> done(welcome()));
    on(Request.Ping.class, (ping, access) -> ok(store.ping()));
    on(Request.ListQueues.class, listing::list);
    on(
        Request.Announce.class,
        (announce, access) ->
            announcements
                .announce(announce, access)
                .thenApply(
                    done ->
                        watches.renew(
                            listener(access, announce.listener()),
                            announce,
                            () -> announcements.read(List.of(announce.client()), access),
                            () ->
                                announcements
                                    .announce(announce, access)
                                    .thenApply(renewed -> true))));
    on(Request.ListAnnouncements.class, (list, access) -> announcements.list(access));
    on(
        Request.ReadAnnouncements.class,
        (read, access) ->
            watches.read(
                listener(access, read.listener()),
                () -> announcements.read(read.clients(), access)));
  }

  /** Returns the key of a client that listens, which no other sender can take over. */
  private static String listener(Access access, String client) {
    return client + ' ' + access.name();
  }

  private Welcome welcome() {
    Set<String> names = new TreeSet<>();
    store.capabilities().forEach(each -> names.add(each.name()));
    names.remove(Capability.TRANSACTIONS.name());
    names.add(Capability.WORKERS.name());
    return new Welcome(server, names);
  }

  private void ofQueues() {
    on(
        Request.FindPartitions.class,
        (find, access) ->
            partitions
                .look(find.queue(), find.wanted())
                .thenApply(found -> found.stream().map(Requested::info).toList()));
    on(Request.CountQueues.class, (count, access) -> store.counts(count.names()));
    on(Request.FindInQueues.class, (find, access) -> store.find(find.names(), find.id()));
    on(
        Request.ForecastQueues.class,
        (ask, access) ->
            store.forecast(ask.names(), ask.fromMillis(), ask.widthMillis(), ask.buckets()));
    // The partitions of a deleted queue stay usable, and so do their listeners.
    on(Request.DeleteQueue.class, (delete, access) -> store.delete(delete.queue()));
    on(
        Request.UntilNext.class,
        (until, access) ->
            partitions.findAll(until.places()).thenCompose(found -> untilNext(until, found)));
    on(
        Request.Listen.class,
        (listen, access) ->
            whileWanted(
                partitions.findAll(
                    listen.places().stream().filter(each -> access.may(each.queue())).toList()),
                found ->
                    watches.listen(
                        listener(access, listen.client()),
                        access.name(),
                        listen,
                        found.partitions())));
  }

  /**
   * Answers that a partition which the queue lacks has a message now: its next call tells why. One
   * that is out of reach has none: the next check asks again.
   */
  private CompletionStage<long[]> untilNext(Request.UntilNext until, KnownPartitions.Found found) {
    List<Place> places = List.copyOf(found.partitions().keySet());
    return store
        .untilNext(List.copyOf(found.partitions().values()))
        .thenApply(
            untils -> {
              Map<Place, Long> times = new HashMap<>();
              found.stale().forEach(place -> times.put(place, 0L));
              for (int i = 0; i < untils.length; i++) {
                times.put(places.get(i), untils[i]);
              }
              return until.places().stream()
                  .mapToLong(place -> times.getOrDefault(place, Reply.NONE))
                  .toArray();
            });
  }

  private static PartitionInfo info(Partition partition) {
    return new PartitionInfo(partition.operationsPerCall(), partition.claimSessions() != null);
  }

  private void ofPartitions() {
    on(
        Request.OpenSession.class,
        (open, access) ->
            at(
                open.place(),
                p ->
                    ok(
                        sessions(p, open.forClaims())
                            .openSession(open.session(), open.replaces()))));
    on(
        Request.CloseSession.class,
        (close, access) ->
            at(
                close.place(),
                p -> ok(sessions(p, close.forClaims()).closeSession(close.session()))));
    on(Request.MakeCall.class, (make, access) -> at(make.place(), p -> call(p, make)));
    on(Request.Find.class, (find, access) -> at(find.place(), p -> p.find(find.id())));
    on(Request.FindMany.class, (find, access) -> at(find.place(), p -> p.find(find.ids())));
    on(
        Request.Browse.class,
        (browse, access) ->
            at(browse.place(), p -> p.browse(browse.query(), cursor(p, browse), browse.limit())));
    on(
        Request.Count.class,
        (count, access) -> at(count.place(), p -> count.now() ? p.countsNow() : p.counts()));
    on(
        Request.Forecast.class,
        (forecast, access) ->
            at(
                forecast.place(),
                p ->
                    p.forecast(forecast.fromMillis(), forecast.widthMillis(), forecast.buckets())));
    on(
        Request.Pause.class,
        (pause, access) -> at(pause.place(), p -> ok(p.pause(pause.paused(), pause.note()))));
    on(Request.SetLimits.class, (set, access) -> at(set.place(), p -> ok(p.limits(set.limits()))));
    on(Request.ReadLimitUse.class, (read, access) -> at(read.place(), Partition::limitUse));
    on(
        Request.MoveShares.class,
        (move, access) -> at(move.place(), p -> p.moveShares(move.expected(), move.next())));
    on(Request.Purge.class, (purge, access) -> at(purge.place(), p -> p.purge(purge.states())));
    on(Request.HandOver.class, (over, access) -> at(over.place(), Requested::handOver));
  }

  private static @Nullable String cursor(Partition partition, Request.Browse browse) {
    Entry after = browse.after();
    return after == null ? browse.cursor() : partition.cursorAfter(browse.query(), after);
  }

  private static CompletionStage<Boolean> handOver(Partition partition) {
    partition.handOver();
    return done(true);
  }

  private CompletionStage<Reply> call(Partition partition, Request.MakeCall make) {
    String session =
        partition.queue()
            + '/'
            + partition.index()
            + (make.forClaims() ? "/claims/" : "/")
            + make.call().session();
    return copies.answer(
        session + '/' + make.call().number() + '/' + make.sending(),
        make.call(),
        call -> order.call(sessions(partition, make.forClaims()), session, call));
  }

  private static Sessions sessions(Partition partition, boolean forClaims) {
    Sessions claims = forClaims ? partition.claimSessions() : null;
    return claims == null ? partition : claims;
  }

  /** Does something with a partition. */
  @FunctionalInterface
  private interface Use<A> {
    CompletionStage<A> of(Partition partition);
  }

  private <A> CompletionStage<A> at(Place place, Use<A> use) {
    return partitions.find(place).thenCompose(use::of);
  }

  /** Like {@code thenCompose}, but ends the second stage when the result is cancelled. */
  private static <T, A> CompletionStage<A> whileWanted(
      CompletionStage<T> first, Function<T, CompletableFuture<A>> second) {
    CompletableFuture<A> result = new CompletableFuture<>();
    CompletionStage<?> unused =
        first
            .thenCompose(
                value -> {
                  CompletableFuture<A> waiting = second.apply(value);
                  CompletableFuture<?> unusedEnd =
                      result.whenComplete((answer, failure) -> waiting.cancel(false));
                  return waiting;
                })
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    result.complete(answer);
                  } else {
                    result.completeExceptionally(failure);
                  }
                });
    return result;
  }

  private static CompletionStage<Boolean> ok(CompletionStage<@Nullable Void> done) {
    return done.thenApply(nothing -> true);
  }

  private static <T> CompletionStage<T> done(T value) {
    return CompletableFuture.completedStage(value);
  }

  /** Notes that a partition has answered a call. */
  void answered(Place place) {
    partitions.answered(place);
  }

  /** Forgets a partition that its queue lacks. */
  void forget(Place place) {
    partitions.forget(place);
  }

  void drain() {
    watches.drain();
  }

  void close() {
    watches.close();
  }
}
