package io.punctual.http.survey;

import io.punctual.Counts;
import io.punctual.Forecast;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.QueueInfo;
import io.punctual.State;
import io.punctual.StoreStatus;
import io.punctual.WorkerInfo;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.queue.Queues;
import io.punctual.http.webhook.WebhookView;
import io.punctual.http.webhook.Webhooks;
import io.punctual.view.Diagnosis;
import io.punctual.view.Evidence;
import io.punctual.view.ForecastView;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The state of all queues of a caller at a glance. Thread-safe. */
final class Overview {
  /** The largest number of queues that are counted. */
  private static final int MOST_QUEUES = 1000;

  /** The largest number of queues of which the forecast is made; the busiest first. */
  private static final int MOST_FORECAST = 200;

  private static final int MOST_ATTENTION = 20;

  /** The largest number of queues that are sorted by something else than their names. */
  private static final int MOST_LISTED = 10_000;

  /** The largest number of leased messages that a diagnosis reads. */
  private static final int SAMPLE = 100;

  private static final Duration HOUR = Duration.ofHours(1);

  private final Queues queues;
  private final InstantSource clock;
  private final History history;
  private final @Nullable Webhooks webhooks;
  private final Shared<Key, Map<String, @Nullable Object>> overviews = new Shared<>();
  private final Shared<List<String>, List<QueueInfo>> listings = new Shared<>();

  private record Key(List<String> prefixes, Windows windows) {}

  /** Creates it. */
  Overview(Queues queues, InstantSource clock, History history, @Nullable Webhooks webhooks) {
    this.queues = queues;
    this.clock = clock;
    this.history = history;
    this.webhooks = webhooks;
  }

  /**
   * Returns the overview.
   *
   * @param window the time of the forecast from now on
   */
  CompletionStage<Map<String, @Nullable Object>> of(Caller caller, Duration window) {
    Windows windows = Windows.of(window);
    Key key = new Key(caller.prefixes(Right.OBSERVE), windows);
    return overviews.get(key, () -> make(caller, windows));
  }

  private CompletionStage<Map<String, @Nullable Object>> make(Caller caller, Windows windows) {
    Instant now = clock.instant();
    return queues
        .list(caller, Right.OBSERVE, "", Optional.empty(), MOST_QUEUES)
        .thenCompose(
            page ->
                forecast(page.items(), now, windows)
                    .thenApply(forecast -> tree(caller, page, forecast, now, windows)));
  }

  private CompletionStage<Optional<Forecast>> forecast(
      List<QueueInfo> all, Instant now, Windows windows) {
    List<String> names =
        all.stream()
            .filter(queue -> queue.counts().scheduled() > 0)
            .sorted(Comparator.comparingLong(queue -> -queue.counts().scheduled()))
            .limit(MOST_FORECAST)
            .map(QueueInfo::name)
            .toList();
    if (names.isEmpty()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return queues
        .punctual()
        .forecastAsync(names, now, now.plus(windows.whole()), windows.spans())
        .thenApply(Overview::sum);
  }

  /** Returns the targets that are disabled or fail again and again. */
  private List<WebhookView> troubled(Predicate<String> sees) {
    return webhooks == null
        ? List.of()
        : webhooks.list().stream()
            .filter(webhook -> webhook.isTroubled() && sees.test(webhook.spec().queue()))
            .toList();
  }

  private static Optional<Forecast> sum(List<Forecast> forecasts) {
    Forecast first = forecasts.get(0);
    long[] sums = new long[first.counts().size()];
    for (Forecast forecast : forecasts) {
      for (int i = 0; i < Math.min(sums.length, forecast.counts().size()); i++) {
        sums[i] += forecast.counts().get(i);
      }
    }
    return Optional.of(
        new Forecast(first.from(), first.width(), Arrays.stream(sums).boxed().toList()));
  }

  private Map<String, @Nullable Object> tree(
      Caller caller,
      Page<QueueInfo> page,
      Optional<Forecast> forecast,
      Instant now,
      Windows windows) {
    List<LiveQueue> all = live(page.items(), now);
    List<Counts> counts = page.items().stream().map(QueueInfo::counts).toList();
    StoreStatus status = queues.punctual().status();
    Predicate<String> sees = queue -> Queues.sees(caller, Right.OBSERVE, queue);
    List<WorkerInfo> workers =
        history.workers().stream().filter(w -> sees.test(w.queue())).toList();
    int hosts = (int) workers.stream().map(WorkerInfo::host).distinct().count();
    List<History.Span> hour = history.past(sees, now, Duration.ofMinutes(1), 60);
    long onTime = hour.stream().mapToLong(History.Span::onTime).sum();
    long delivered = onTime + hour.stream().mapToLong(History.Span::late).sum();
    Verdict verdict =
        Verdict.ofStore(status)
            .orElseGet(
                () ->
                    Verdict.of(all, workers.size(), hosts, delivered, onTime).with(troubled(sees)));
    return new Tree()
        .put("at", Values.instant(now))
        .put("verdict", verdict)
        .put("store", store(status))
        .put("queues", page.items().size())
        .flag("more", page.next().isPresent())
        .put("scheduled", counts.stream().mapToLong(Counts::scheduled).sum())
        .put("ready", counts.stream().mapToLong(Counts::ready).sum())
        .put("leased", counts.stream().mapToLong(Counts::leased).sum())
        .put("dead", counts.stream().mapToLong(Counts::dead).sum())
        .put("finished", counts.stream().mapToLong(Counts::finished).sum())
        .put(
            "overdueMillis", counts.stream().mapToLong(c -> c.overdue().toMillis()).max().orElse(0))
        .put("workers", workers.size())
        .put("delivered", delivered)
        .put("deliveredOnTime", onTime)
        .put("lateness", LiveQueue.tree(history.lateness(sees)))
        .putAll("attention", attention(all))
        .put("history", history(sees, now, windows))
        .put("forecast", forecast.map(ForecastView::of).orElse(null))
        .toMap();
  }

  /** Returns the queues of a caller, up to 10,000, with their workers and diagnoses. */
  CompletionStage<List<LiveQueue>> all(Caller caller) {
    return listings
        .get(
            caller.prefixes(Right.OBSERVE),
            () -> pages(caller, Optional.empty(), new ArrayList<>()))
        .thenApply(all -> live(all, clock.instant()));
  }

  private CompletionStage<List<QueueInfo>> pages(
      Caller caller, Optional<String> after, List<QueueInfo> found) {
    return queues
        .list(caller, Right.OBSERVE, "", after, MOST_QUEUES)
        .thenCompose(
            page -> {
              found.addAll(page.items());
              return page.next().isPresent() && found.size() < MOST_LISTED
                  ? pages(caller, page.next(), found)
                  : CompletableFuture.completedFuture(found);
            });
  }

  /** Returns queues with their workers and diagnoses. */
  List<LiveQueue> live(List<QueueInfo> all, Instant now) {
    Map<String, List<WorkerInfo>> byQueue =
        history.workers().stream().collect(Collectors.groupingBy(WorkerInfo::queue));
    return all.stream()
        .map(
            queue -> {
              List<WorkerInfo> own = byQueue.getOrDefault(queue.name(), List.of());
              return LiveQueue.of(queue, own, evidence(queue, own, now));
            })
        .toList();
  }

  private Evidence evidence(QueueInfo queue, List<WorkerInfo> own, Instant now) {
    // The memory store and the journal know the workers of their own process only.
    String store = queues.punctual().store();
    boolean knowsAll = !store.startsWith("memory") && !store.startsWith("journal");
    return Evidence.of(
        queue, knowsAll || !own.isEmpty() ? Optional.of(own) : Optional.empty(), now);
  }

  /** Returns why a queue is late. Reads leased messages, since only they show leases that ended. */
  CompletionStage<Diagnosis> diagnosis(QueueInfo queue) {
    Instant now = clock.instant();
    List<WorkerInfo> own =
        history.workers().stream().filter(w -> w.queue().equals(queue.name())).toList();
    Evidence evidence = evidence(queue, own, now);
    return queue.counts().leased() == 0
        ? CompletableFuture.completedFuture(Diagnosis.of(evidence))
        : queues
            .open(queue.name())
            .thenCompose(
                opened ->
                    opened
                        .async()
                        .browse(MessageQuery.of(State.LEASED).limit(SAMPLE).withoutPayloads()))
            .thenApply(page -> Diagnosis.of(evidence.withMessages(List.copyOf(page.items()))));
  }

  private Map<String, @Nullable Object> store(StoreStatus status) {
    return new Tree()
        .put("name", queues.punctual().store())
        .put("reachable", status.reachable())
        .put("since", Values.instant(status.since()))
        .put("problem", status.lastFailure().map(Throwable::getMessage).orElse(null))
        .toMap();
  }

  private Map<String, @Nullable Object> history(
      Predicate<String> sees, Instant now, Windows windows) {
    // A week ahead is shown beside a day behind, for no more is kept.
    Duration width =
        windows.width().compareTo(Duration.ofMinutes(1)) < 0
            ? Duration.ofMinutes(1)
            : windows.width();
    int spans = (int) Math.max(1, Math.min(windows.spans(), Duration.ofDays(1).dividedBy(width)));
    if (width.compareTo(Duration.ofMinutes(5)) < 0) {
      spans = (int) Math.min(spans, HOUR.dividedBy(width));
    }
    List<Map<String, @Nullable Object>> trees = new ArrayList<>();
    for (History.Span span : history.past(sees, now, width, spans)) {
      trees.add(
          new Tree()
              .put("from", Values.instant(span.at()))
              .put("onTime", span.onTime())
              .put("late", span.late())
              .toMap());
    }
    return new Tree()
        .put("since", Values.instant(history.since()))
        .put("widthMillis", width.toMillis())
        .put("spans", trees)
        .toMap();
  }

  /** Returns the queues that are late, limited, paused or have dead letters; the latest first. */
  private static List<LiveQueue> attention(List<LiveQueue> all) {
    return all.stream()
        .filter(queue -> queue.rank() < 4)
        .sorted(ORDER)
        .limit(MOST_ATTENTION)
        .toList();
  }

  /** The order of need: late queues first, and among them the latest. */
  static final Comparator<LiveQueue> ORDER =
      Comparator.comparingInt(LiveQueue::rank)
          .thenComparing(queue -> queue.info().counts().overdue(), Comparator.reverseOrder())
          .thenComparing(queue -> queue.info().name());
}
