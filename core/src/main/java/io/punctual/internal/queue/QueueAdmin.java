package io.punctual.internal.queue;

import io.punctual.Counts;
import io.punctual.Forecast;
import io.punctual.LeaseHolder;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.event.Event;
import io.punctual.internal.log.Logs;
import io.punctual.internal.message.Checks;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitShare;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.TimeRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Look-ups and administration of a queue over all of its partitions. Thread-safe. */
public final class QueueAdmin<T> {
  /** The largest number of messages that are looked up at a time. */
  private static final int LOOK_UPS = Partition.MAX_PAGE;

  /** The time for which a worker may not be ready between two messages, in milliseconds. */
  private static final long READY_MILLIS = 20;

  private static final Logger log = Logs.of("io.punctual.handler");

  private final QueueView<T> view;

  public QueueAdmin(QueueView<T> view) {
    this.view = view;
  }

  private void require(Capability capability) {
    view.client().requireOpen();
    view.client().require(capability);
  }

  public Awaited<Optional<StoredMessage<T>>> find(String id) {
    require(Capability.BROWSE);
    Checks.id(id);
    return view.ask(
        "find of '" + id + "'",
        () ->
            view.partitions()
                .of(id)
                .partition()
                .find(id)
                .thenCompose(found -> stored(found.stream().toList(), true))
                .thenApply(found -> found.stream().findFirst()));
  }

  /** Returns the messages of look-ups, with the holders of their leases. */
  private CompletionStage<List<StoredMessage<T>>> stored(
      List<Entry> entries, boolean withPayloads) {
    boolean needsHolders = entries.stream().anyMatch(entry -> entry.holder() != null);
    return needsHolders
        ? StoreCall.stage(view.client().workerListing()::leaseHolders)
            .thenApply(holders -> stored(entries, withPayloads, holders))
        : CompletableFuture.completedStage(stored(entries, withPayloads, null));
  }

  private List<StoredMessage<T>> stored(
      List<Entry> entries, boolean withPayloads, @Nullable LeaseHolders holders) {
    List<StoredMessage<T>> stored = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      LeaseHolder holder = holders == null ? null : holders.of(entry, view.queue());
      stored.add(new StoredEntry<>(entry, view.codec(), view.queue(), withPayloads, holder));
    }
    return stored;
  }

  public Awaited<List<Optional<StoredMessage<T>>>> findAll(Collection<String> ids) {
    require(Capability.BROWSE);
    List<String> copy = List.copyOf(ids);
    copy.forEach(Checks::id);
    return view.ask("find of " + copy.size() + " ids", () -> lookUps(copy));
  }

  public CompletionStage<List<Optional<StoredMessage<T>>>> lookUps(List<String> ids) {
    return entries(ids)
        .thenCompose(
            found ->
                stored(found.stream().flatMap(Optional::stream).toList(), true)
                    .thenApply(
                        stored -> {
                          Iterator<StoredMessage<T>> next = stored.iterator();
                          return found.stream().map(entry -> entry.map(e -> next.next())).toList();
                        }));
  }

  /** Finds many messages, some at a time, with one look-up for each of their partitions. */
  CompletionStage<List<Optional<Entry>>> entries(List<String> ids) {
    List<Optional<Entry>> found = new ArrayList<>(ids.size());
    return AsyncLoop.run(
            () ->
                lookUp(someAfter(found.size(), ids))
                    .thenApply(
                        some -> {
                          found.addAll(some);
                          return found.size() < ids.size();
                        }))
        .thenApply(end -> List.copyOf(found));
  }

  private CompletionStage<List<Optional<Entry>>> lookUp(List<String> ids) {
    Map<Partition, List<String>> byPartition = new LinkedHashMap<>();
    for (String id : new LinkedHashSet<>(ids)) {
      byPartition
          .computeIfAbsent(view.partitions().of(id).partition(), each -> new ArrayList<>())
          .add(id);
    }
    return inEach(List.copyOf(byPartition.entrySet()), each -> each.getKey().find(each.getValue()))
        .thenApply(
            answers -> {
              Map<String, Entry> found = new HashMap<>();
              answers.forEach(all -> all.forEach(entry -> found.put(entry.id(), entry)));
              return ids.stream().map(id -> Optional.ofNullable(found.get(id))).toList();
            });
  }

  private static List<String> someAfter(int from, List<String> ids) {
    return ids.subList(from, Math.min(ids.size(), from + LOOK_UPS));
  }

  public Awaited<Page<StoredMessage<T>>> browse(MessageQuery query) {
    require(Capability.BROWSE);
    Objects.requireNonNull(query, "query");
    return view.ask("browse", () -> page(query));
  }

  private CompletionStage<Page<StoredMessage<T>>> page(MessageQuery query) {
    EntryQuery entries =
        new EntryQuery(query.state(), range(query), query.isNewestFirst(), query.hasPayloads());
    return Listing.page(view.partitions(), entries, query.after(), query.limit())
        .thenCompose(
            page ->
                stored(page.entries(), query.hasPayloads())
                    .thenApply(stored -> new Page<>(stored, page.next())));
  }

  private static TimeRange range(MessageQuery query) {
    return new TimeRange(
        query.from().map(DueTime::instantMillis).orElse(Long.MIN_VALUE),
        query.to().map(DueTime::instantMillis).orElse(Long.MAX_VALUE));
  }

  public Awaited<Counts> counts() {
    view.client().requireOpen();
    return view.ask(
        "counts",
        () ->
            inEachPartition(Partition::counts)
                .thenApply(all -> CountedMessages.of(QueueCounts.sum(all).counts())));
  }

  public Awaited<Forecast> forecast(Instant from, Instant to, int buckets) {
    require(Capability.FORECAST);
    ForecastSpans spans = ForecastSpans.of(from, to, buckets);
    return view.ask(
        "forecast",
        () ->
            inEachPartition(
                    partition ->
                        partition.forecast(spans.fromMillis(), spans.widthMillis(), buckets))
                .thenApply(spans::of));
  }

  public Awaited<@Nullable Void> pause(PauseNote note) {
    Objects.requireNonNull(note, "note");
    return pause("pause", true, note);
  }

  public Awaited<@Nullable Void> resume() {
    return pause("resume", false, PauseNote.NONE);
  }

  private Awaited<@Nullable Void> pause(String what, boolean paused, PauseNote note) {
    require(Capability.PAUSE);
    return view.change(
        what,
        () ->
            inEachPartition(partition -> partition.pause(paused, note).thenApply(nothing -> paused))
                .thenAccept(all -> {}));
  }

  public Awaited<@Nullable Void> limit(QueueLimits limits) {
    require(Capability.LIMITS);
    Objects.requireNonNull(limits, "limits");
    warnOfSmallBurst(limits);
    return view.change("change of the limits", () -> limitEach(limits).thenAccept(all -> {}));
  }

  /** Warns of a burst that is too small for the moments in which no worker is ready. */
  private void warnOfSmallBurst(QueueLimits limits) {
    long enough =
        limits.hasRate()
            ? -Math.floorDiv(-limits.rate() * READY_MILLIS, limits.per().toMillis())
            : 0;
    if (limits.burst() < enough) {
      log.warn(
          "The burst of {} of queue '{}' is small for its rate of {} in {} ms: tokens that arrive"
              + " while no worker is ready are lost, so the queue stays below its rate. Set a burst"
              + " of at least {}, the messages of {} ms",
          limits.burst(),
          view.queue(),
          limits.rate(),
          limits.per().toMillis(),
          enough,
          READY_MILLIS);
    }
  }

  private CompletionStage<List<QueueLimits>> limitEach(QueueLimits limits) {
    LimitShare.check(limits, view.partitions().all().size(), view.queue());
    return inEachPartition(partition -> partition.limits(limits).thenApply(nothing -> limits));
  }

  public Awaited<QueueLimits> limits() {
    require(Capability.LIMITS);
    return view.ask(
        "limits",
        () ->
            view.partitions()
                .all()
                .get(0)
                .partition()
                .countsNow()
                .thenApply(PartitionCounts::limits));
  }

  public Awaited<Long> purge(Set<State> states) {
    require(Capability.PURGE);
    Set<State> copy = Set.copyOf(states);
    return view.change(
        "purge",
        () ->
            inEachPartition(partition -> partition.purge(copy))
                .thenApply(counts -> purged(copy, counts)));
  }

  private long purged(Set<State> states, List<Long> counts) {
    long count = counts.stream().mapToLong(Long::longValue).sum();
    view.env().events().publish(() -> new Event.MessagesPurged(view.queue(), states, count));
    return count;
  }

  private <R> CompletionStage<List<R>> inEachPartition(
      Function<Partition, CompletionStage<R>> request) {
    return inEach(view.partitions().all(), each -> request.apply(each.partition()));
  }

  /** Sends a request for each element. Completes when every request was answered or has failed. */
  public static <E, R> CompletionStage<List<R>> inEach(
      List<E> elements, Function<E, CompletionStage<R>> request) {
    List<CompletableFuture<R>> answers = new ArrayList<>(elements.size());
    for (E each : elements) {
      answers.add(StoreCall.stage(() -> request.apply(each)).toCompletableFuture());
    }
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
  }
}
