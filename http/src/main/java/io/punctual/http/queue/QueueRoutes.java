package io.punctual.http.queue;

import io.punctual.DeleteQueueOutcome;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.QueueInfo;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Route;
import io.punctual.view.ForecastView;
import io.punctual.view.LimitsView;
import io.punctual.view.Outcome;
import io.punctual.view.QueueView;
import io.punctual.view.Tree;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The routes of queues, their pauses, limits and forecasts. */
public final class QueueRoutes {
  private static final String ONE = "/v1/queues/{queue}";
  private static final Fields PAUSE = Fields.of("reason");
  private static final Fields LIMITS = Fields.of("rate", "per", "burst", "concurrency");

  private final Queues queues;
  private final InstantSource clock;

  /** Creates the routes. */
  public QueueRoutes(Queues queues, InstantSource clock) {
    this.queues = queues;
    this.clock = clock;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/v1/queues", this::list, Right.OBSERVE).query("prefix", "cursor", "limit"),
        Route.of("GET", ONE, this::get, Right.OBSERVE),
        Route.of("DELETE", ONE, this::delete, Right.OPERATE).query("withMessages", "confirm"),
        Route.of("PUT", ONE + "/pause", this::pause, Right.OPERATE).json(),
        Route.of("DELETE", ONE + "/pause", this::resume, Right.OPERATE),
        Route.of("PUT", ONE + "/limits", this::limit, Right.OPERATE).json(),
        Route.of("DELETE", ONE + "/limits", this::unlimit, Right.OPERATE),
        Route.of("GET", ONE + "/forecast", this::forecast, Right.OBSERVE)
            .query("from", "to", "buckets"));
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    return queues
        .list(
            exchange.caller(),
            Right.OBSERVE,
            exchange.query().text("prefix").orElse(""),
            exchange.query().text("cursor"),
            exchange.query().limit())
        .thenApply(page -> Answers.json(200, page(page)));
  }

  private static Map<String, @Nullable Object> page(Page<QueueInfo> page) {
    return new Tree()
        .putAll("queues", page.items().stream().map(QueueView::of).toList())
        .put("next", page.next().orElse(null))
        .toMap();
  }

  private CompletionStage<Answer> get(Exchange exchange) {
    return queues
        .info(exchange.queue())
        .thenApply(info -> Answers.json(200, QueueView.of(info).tree()));
  }

  private CompletionStage<Answer> delete(Exchange exchange) {
    String name = exchange.queue();
    boolean withMessages = exchange.query().flag("withMessages");
    if (withMessages && !exchange.query().text("confirm").filter(name::equals).isPresent()) {
      throw Problems.invalid(
          "To delete a queue with its messages, repeat the name of the queue as confirm");
    }
    return (withMessages
            ? queues.punctual().purgeAndDeleteQueueAsync(name)
            : queues.punctual().deleteQueueAsync(name))
        .thenApply(QueueRoutes::deleted);
  }

  private static Answer deleted(DeleteQueueOutcome outcome) {
    if (outcome == DeleteQueueOutcome.NOT_FOUND) {
      throw Problems.notFound("The store has no queue with this name");
    }
    if (outcome == DeleteQueueOutcome.NOT_EMPTY) {
      throw Problem.of(
              Outcome.CONFLICT,
              "The queue has messages or remembered ids; with withMessages=true and confirm, they"
                  + " are deleted too")
          .exception();
    }
    return Answers.none();
  }

  private CompletionStage<Answer> pause(Exchange exchange) {
    String[] reason = {""};
    if (exchange.body().length > 0) {
      JsonInput.read(
          exchange.body(),
          input -> {
            input.object(PAUSE, name -> reason[0] = input.text());
            return reason;
          });
    }
    PauseNote note = new PauseNote(reason[0], exchange.caller().name());
    return queues
        .open(exchange.queue())
        .thenCompose(queue -> queue.async().pause(note).thenCompose(done -> changed(queue)))
        .thenApply(view -> Answers.json(200, view.tree()));
  }

  private CompletionStage<Answer> resume(Exchange exchange) {
    return queues
        .existing(exchange.queue())
        .thenCompose(queue -> queue.async().resume().thenCompose(done -> changed(queue)))
        .thenApply(view -> Answers.json(200, view.tree()));
  }

  private static CompletionStage<QueueView> changed(TimedQueue<byte[]> queue) {
    return Problems.ofDone(view(queue), "The change is done, but the counts can't be read now");
  }

  private static CompletionStage<QueueView> view(TimedQueue<byte[]> queue) {
    return queue
        .async()
        .counts()
        .thenApply(counts -> QueueView.of(queue.name(), queue.partitions(), counts));
  }

  private CompletionStage<Answer> limit(Exchange exchange) {
    QueueLimits limits = JsonInput.read(exchange.body(), QueueRoutes::limits);
    return set(queues.open(exchange.queue()), limits);
  }

  private CompletionStage<Answer> unlimit(Exchange exchange) {
    return set(queues.existing(exchange.queue()), QueueLimits.none());
  }

  private static CompletionStage<Answer> set(
      CompletionStage<TimedQueue<byte[]>> opened, QueueLimits limits) {
    return opened.thenCompose(
        queue ->
            queue
                .async()
                .setLimits(limits)
                .thenApply(done -> Answers.json(200, LimitsView.of(limits).tree())));
  }

  private static QueueLimits limits(JsonInput input) {
    int[] numbers = new int[3];
    Duration[] per = {Duration.ofSeconds(1)};
    input.object(
        LIMITS,
        name -> {
          switch (name) {
            case "rate" -> numbers[0] = (int) input.number(1, QueueLimits.MAX_RATE);
            case "per" -> per[0] = input.duration();
            case "burst" -> numbers[1] = (int) input.number(1, QueueLimits.MAX_BURST);
            default -> numbers[2] = (int) input.number(1, QueueLimits.MAX_CONCURRENCY);
          }
        });
    if (numbers[0] == 0 && numbers[2] == 0) {
      throw input.bad("send a rate, a concurrency, or both; DELETE removes the limits");
    }
    QueueLimits limits = QueueLimits.none();
    if (numbers[0] > 0) {
      int burst = numbers[1] == 0 ? Math.min(numbers[0], QueueLimits.MAX_BURST) : numbers[1];
      limits = limits.rate(numbers[0], per[0], burst);
    }
    return numbers[2] == 0 ? limits : limits.concurrency(numbers[2]);
  }

  private CompletionStage<Answer> forecast(Exchange exchange) {
    Instant from = exchange.query().instant("from").orElseGet(clock::instant);
    Instant to = exchange.query().instant("to").orElseGet(() -> from.plus(Duration.ofHours(1)));
    int buckets = exchange.query().number("buckets", 1, 500).orElse(60L).intValue();
    return queues
        .existing(exchange.queue())
        .thenCompose(queue -> queue.async().forecast(from, to, buckets))
        .thenApply(forecast -> Answers.json(200, ForecastView.of(forecast).tree()));
  }
}
