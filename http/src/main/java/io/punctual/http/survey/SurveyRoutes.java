package io.punctual.http.survey;

import io.punctual.Forecast;
import io.punctual.PauseWorkerOutcome;
import io.punctual.StoredMessage;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Media;
import io.punctual.http.route.Route;
import io.punctual.view.MessageView;
import io.punctual.view.Outcome;
import io.punctual.view.Redaction;
import io.punctual.view.Tree;
import io.punctual.view.WorkerView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The routes of what is true of many queues. Each shows only the queues of its caller. */
final class SurveyRoutes {
  private static final int SPARK = 20;

  private final Queues queues;
  private final Overview overview;
  private final Events events;
  private final InstantSource clock;
  private final BooleanSupplier isReadOnly;

  SurveyRoutes(
      Queues queues,
      Overview overview,
      Events events,
      InstantSource clock,
      BooleanSupplier isReadOnly) {
    this.queues = queues;
    this.overview = overview;
    this.events = events;
    this.clock = clock;
    this.isReadOnly = isReadOnly;
  }

  /** The order of a listing. */
  private enum Sort {
    ATTENTION,
    NAME,
    BUSIEST,
    DEAD
  }

  List<Route> routes() {
    return List.of(
        Route.of("GET", "/v1/caller", this::caller),
        Route.of("GET", "/v1/overview", this::overview, Right.OBSERVE).query("window"),
        Route.of("GET", "/v1/overview/queues", this::rows, Right.OBSERVE)
            .query("prefix", "sort", "cursor", "limit"),
        Route.of("GET", "/v1/queues/{queue}/diagnosis", this::diagnosis, Right.OBSERVE),
        Route.of("GET", "/v1/events", this::events, Right.OBSERVE)
            .query("window")
            .produces(Media.EVENTS),
        Route.of("GET", "/v1/find", this::find, Right.OBSERVE).query("id").scan(),
        Route.of("GET", "/v1/recurring", this::recurring, Right.OBSERVE)
            .query("queue", "cursor")
            .scan(),
        Route.of("GET", "/v1/workers", this::workers, Right.OBSERVE).query("queue"),
        Route.of("GET", "/v1/queues/{queue}/lateness", this::lateness, Right.OBSERVE),
        Route.of("PUT", "/v1/workers/{worker}/pause", this::pause, Right.OPERATE),
        Route.of("DELETE", "/v1/workers/{worker}/pause", this::resume, Right.OPERATE));
  }

  private CompletionStage<Answer> caller(Exchange exchange) {
    Caller caller = exchange.caller();
    List<Map<String, @Nullable Object>> grants =
        caller.grants().stream()
            .sorted(Comparator.comparing(Grant::right).thenComparing(Grant::prefix))
            .map(
                grant ->
                    new Tree().put("right", grant.right()).put("prefix", grant.prefix()).toMap())
            .toList();
    return Answers.now(
        Answers.json(
            200,
            new Tree()
                .put("name", caller.name())
                .put("readOnly", isReadOnly.getAsBoolean())
                .put("grants", grants)
                .toMap()));
  }

  /** Lists queues with what a person wants to see of each. Only names have further pages. */
  private CompletionStage<Answer> rows(Exchange exchange) {
    Caller caller = exchange.caller();
    int limit = exchange.query().limit();
    String prefix = exchange.query().text("prefix").orElse("");
    Optional<String> cursor = exchange.query().text("cursor");
    Sort sort = exchange.query().constant("sort", Sort.class).orElse(Sort.NAME);
    if (sort == Sort.NAME) {
      return queues
          .list(caller, Right.OBSERVE, prefix, cursor, limit)
          .thenCompose(
              page -> rows(overview.live(page.items(), clock.instant()), page.next().orElse(null)));
    }
    if (cursor.isPresent()) {
      throw Problems.invalid("The query parameter cursor: is for the order by name only");
    }
    return overview
        .all(caller)
        .thenCompose(
            all ->
                rows(
                    all.stream()
                        .filter(queue -> queue.info().name().startsWith(prefix))
                        .sorted(order(sort))
                        .limit(limit)
                        .toList(),
                    null));
  }

  private static Comparator<LiveQueue> order(Sort sort) {
    return switch (sort) {
      case BUSIEST ->
          Comparator.comparingLong(
              queue -> -queue.info().counts().scheduled() - queue.info().counts().ready());
      case DEAD -> Comparator.comparingLong(queue -> -queue.info().counts().dead());
      default -> Overview.ORDER;
    };
  }

  private CompletionStage<Answer> rows(List<LiveQueue> rows, @Nullable String next) {
    List<String> names = rows.stream().map(queue -> queue.info().name()).toList();
    Instant now = clock.instant();
    CompletionStage<List<Forecast>> forecasts =
        names.isEmpty()
            ? CompletableFuture.completedFuture(List.of())
            : queues.punctual().forecastAsync(names, now, now.plus(Duration.ofHours(1)), SPARK);
    return forecasts.thenApply(
        due -> {
          List<Map<String, @Nullable Object>> trees = new ArrayList<>();
          for (int i = 0; i < rows.size(); i++) {
            trees.add(new Tree().fields(rows.get(i)).put("due", due.get(i).counts()).toMap());
          }
          return Answers.json(200, new Tree().put("queues", trees).put("next", next).toMap());
        });
  }

  private CompletionStage<Answer> diagnosis(Exchange exchange) {
    return queues
        .info(exchange.queue())
        .thenCompose(overview::diagnosis)
        .thenApply(diagnosis -> Answers.json(200, diagnosis.tree()));
  }

  private CompletionStage<Answer> overview(Exchange exchange) {
    return overview
        .of(exchange.caller(), window(exchange))
        .thenApply(tree -> Answers.json(200, tree));
  }

  private CompletionStage<Answer> events(Exchange exchange) {
    return Answers.now(events.answer(exchange, window(exchange)));
  }

  private static Duration window(Exchange exchange) {
    Duration window = exchange.query().duration("window").orElse(Duration.ofHours(1));
    if (window.compareTo(Duration.ofMinutes(1)) < 0 || window.compareTo(Duration.ofDays(7)) > 0) {
      throw Problems.invalid("The query parameter window: must be between 1m and 7d");
    }
    return window;
  }

  private CompletionStage<Answer> find(Exchange exchange) {
    String id = exchange.id();
    Caller caller = exchange.caller();
    return queues
        .names(caller, Right.OBSERVE)
        .thenCompose(names -> queues.punctual().findAsync(id, names))
        .thenApply(found -> Answers.json(200, Map.of("found", found(found, caller))));
  }

  private CompletionStage<Answer> recurring(Exchange exchange) {
    return new Recurring(queues)
        .page(exchange.caller(), exchange.query().text("queue"), exchange.query().text("cursor"))
        .thenApply(tree -> Answers.json(200, tree));
  }

  private static List<Map<String, @Nullable Object>> found(
      Map<String, StoredMessage<byte[]>> found, Caller caller) {
    List<Map<String, @Nullable Object>> trees = new ArrayList<>();
    found.forEach(
        (queue, message) -> {
          Redaction redaction =
              caller.may(Right.PAYLOADS, queue) ? Redaction.NONE : Redaction.CONTENTS;
          trees.add(
              new Tree()
                  .put("queue", queue)
                  .put("message", MessageView.of(message, redaction))
                  .toMap());
        });
    return trees;
  }

  private CompletionStage<Answer> workers(Exchange exchange) {
    Caller caller = exchange.caller();
    String queue = exchange.query().text("queue").orElse("");
    return queues
        .punctual()
        .workersAsync()
        .thenApply(
            workers ->
                workers.stream()
                    .filter(worker -> Queues.sees(caller, Right.OBSERVE, worker.queue()))
                    .filter(worker -> queue.isEmpty() || worker.queue().equals(queue))
                    .map(WorkerView::of)
                    .toList())
        .thenApply(views -> Answers.json(200, new Tree().putAll("workers", views).toMap()));
  }

  private CompletionStage<Answer> lateness(Exchange exchange) {
    String queue = exchange.queue();
    return queues
        .punctual()
        .workersAsync()
        .thenApply(
            workers -> {
              List<WorkerFigures> figures =
                  workers.stream()
                      .filter(worker -> worker.queue().equals(queue))
                      .flatMap(worker -> worker.figures().stream())
                      .toList();
              return Answers.json(200, LatenessTree.of(queue, figures));
            });
  }

  private CompletionStage<Answer> pause(Exchange exchange) {
    return worker(exchange)
        .thenCompose(worker -> queues.punctual().pauseWorkerAsync(worker.id()))
        .thenApply(SurveyRoutes::asked);
  }

  private CompletionStage<Answer> resume(Exchange exchange) {
    return worker(exchange)
        .thenCompose(worker -> queues.punctual().resumeWorkerAsync(worker.id()))
        .thenApply(SurveyRoutes::asked);
  }

  /** Finds a worker of a queue to which the caller has the right. */
  private CompletionStage<WorkerInfo> worker(Exchange exchange) {
    String id = exchange.path("worker");
    return queues
        .punctual()
        .workersAsync()
        .thenApply(
            workers ->
                workers.stream()
                    .filter(worker -> worker.id().equals(id))
                    .filter(w -> Queues.sees(exchange.caller(), Right.OPERATE, w.queue()))
                    .findFirst()
                    .orElseThrow(SurveyRoutes::absent))
        .thenApply(
            worker -> {
              exchange.note().queue(worker.queue());
              return worker;
            });
  }

  private static Answer asked(PauseWorkerOutcome outcome) {
    return switch (outcome) {
      case REQUESTED -> Answers.json(202, Map.of("outcome", outcome.name()));
      case NOT_FOUND -> throw absent();
      case NOT_SUPPORTED ->
          throw Problem.of(
                  Outcome.CONFLICT,
                  "The process of the worker has an earlier version, which can't be asked; pause"
                      + " the queue, or update the process")
              .exception();
    };
  }

  private static RuntimeException absent() {
    return Problems.notFound("No worker with this id is listed");
  }
}
