package io.punctual.http.own;

import io.punctual.CancelOutcome;
import io.punctual.MessageQuery;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.JsonInput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Route;
import io.punctual.http.text.BadInputException;
import io.punctual.timer.DueTimer;
import io.punctual.view.Outcome;
import io.punctual.view.Tree;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The routes of tasks. */
public final class TaskRoutes {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}");

  private final Queues queues;
  private final TaskStore store;
  private final DueTimer timer;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  /** Creates the routes. */
  public TaskRoutes(Queues queues, DueTimer timer, InstantSource clock) {
    this.queues = queues;
    this.store = new TaskStore(queues);
    this.timer = timer;
    this.clock = clock;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return List.of(
        Route.of("POST", "/v1/tasks", this::post, Right.OPERATE).json(),
        Route.of("GET", "/v1/tasks", this::list, Right.OPERATE, Right.OBSERVE)
            .query("queue", "cursor", "limit"),
        Route.of("GET", "/v1/tasks/{task}", this::get, Right.OPERATE, Right.OBSERVE),
        Route.of("DELETE", "/v1/tasks/{task}", this::cancel, Right.OPERATE));
  }

  /** Begins to run tasks in this process, until the result is closed. */
  public OwnWork start() {
    return new OwnWork(store, queues, timer, clock);
  }

  private CompletionStage<Answer> post(Exchange exchange) {
    TaskOrder.Request request = JsonInput.read(exchange.body(), TaskOrder.Request::read);
    TaskOrder order = request.order();
    if (!Queues.sees(exchange.caller(), Right.OPERATE, order.queue())) {
      throw Problem.of(Outcome.FORBIDDEN, "The caller has not the right OPERATE to this queue")
          .exception();
    }
    order.check();
    if (order.readsContents()) {
      exchange.requirePayloads(order.queue());
    }
    String id = id(request.id(), exchange.head().header("Idempotency-Key"));
    TaskRecord record = TaskRecord.begun(id, exchange.caller().name(), order, clock.instant());
    note(exchange, record);
    return queues
        .info(order.queue())
        .thenCompose(info -> store.begin(record))
        .thenApply(begun -> begun(exchange, begun, record));
  }

  /** Answers with the task, which an earlier request with the same id may have begun. */
  private static Answer begun(Exchange exchange, TaskRecord begun, TaskRecord asked) {
    if (!begun.order().isSameAs(asked.order())) {
      throw Problem.of(Outcome.EXISTS, "A task that does something else has this id; send a new id")
          .about(null, asked.id())
          .exception();
    }
    return Answers.json(begun.state().isEnded() ? 200 : 202, tree(exchange, begun));
  }

  private String id(@Nullable String field, @Nullable String key) {
    if (field != null && key != null && !field.equals(key)) {
      throw Problems.invalid("The field id and the Idempotency-Key are not the same");
    }
    String id = field == null ? key : field;
    if (id != null && !ID.matcher(id).matches()) {
      throw Problems.invalid(
          "The id of a task has 1 to 128 letters, digits, hyphens, low lines and dots, and does not"
              + " begin with a dot");
    }
    return id == null ? newId() : id;
  }

  /**
   * Begins a task that makes the dead letters due that died since a time.
   *
   * @param rate the largest number in a second, or 0 without a limit
   */
  public CompletionStage<Map<String, @Nullable Object>> redriveSince(
      Exchange exchange, String queue, Instant since, int rate, @Nullable String reason) {
    TaskOrder order = TaskOrder.redriveSince(queue, since, rate, reason);
    TaskRecord record = TaskRecord.begun(newId(), exchange.caller().name(), order, clock.instant());
    return store.begin(record).thenApply(begun -> tree(exchange, begun));
  }

  private String newId() {
    return String.format(
        java.util.Locale.ROOT, "%012x%08x", clock.instant().toEpochMilli(), random.nextInt());
  }

  private static boolean sees(Caller caller, TaskRecord record) {
    return Queues.sees(caller, Right.OPERATE, record.order().queue())
        || Queues.sees(caller, Right.OBSERVE, record.order().queue());
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    MessageQuery all =
        MessageQuery.of(State.SCHEDULED).newestFirst().limit(exchange.query().limit());
    MessageQuery query = exchange.query().text("cursor").map(all::after).orElse(all);
    String queue = exchange.query().text("queue").orElse("");
    return store
        .page(query)
        .thenApply(
            page -> {
              List<Map<String, @Nullable Object>> tasks = new ArrayList<>();
              for (StoredMessage<byte[]> message : page.items()) {
                TaskRecord record = parse(message);
                if (record != null
                    && sees(exchange.caller(), record)
                    && (queue.isEmpty() || queue.equals(record.order().queue()))) {
                  tasks.add(tree(exchange, record));
                }
              }
              return Answers.json(
                  200,
                  new Tree().put("tasks", tasks).put("next", page.next().orElse(null)).toMap());
            });
  }

  /** Returns null for a record of a later version. */
  private static @Nullable TaskRecord parse(StoredMessage<byte[]> message) {
    try {
      return TaskRecord.parse(message.payloadBytes());
    } catch (BadInputException e) {
      return null;
    }
  }

  private static Map<String, @Nullable Object> tree(Exchange exchange, TaskRecord record) {
    return record.tree(exchange.redaction(record.order().queue()));
  }

  private CompletionStage<TaskRecord> find(Exchange exchange) {
    return store
        .find(exchange.path("task"))
        .thenApply(
            found ->
                found
                    .filter(record -> sees(exchange.caller(), record))
                    .orElseThrow(() -> Problems.notFound("There is no task with this id")));
  }

  private CompletionStage<Answer> get(Exchange exchange) {
    return find(exchange).thenApply(record -> Answers.json(200, tree(exchange, record)));
  }

  private CompletionStage<Answer> cancel(Exchange exchange) {
    return find(exchange)
        .thenCompose(
            record -> {
              if (!Queues.sees(exchange.caller(), Right.OPERATE, record.order().queue())) {
                throw Problem.of(
                        Outcome.FORBIDDEN, "The caller has not the right OPERATE to this queue")
                    .exception();
              }
              note(exchange, record);
              return store
                  .cancel(record.id())
                  .thenCompose(outcome -> cancelled(exchange, record, outcome));
            });
  }

  private static void note(Exchange exchange, TaskRecord record) {
    exchange.note().queue(record.order().queue());
    exchange.note().id(record.id());
    exchange.note().detail(record.order().action().name());
  }

  private CompletionStage<Answer> cancelled(
      Exchange exchange, TaskRecord record, CancelOutcome outcome) {
    if (outcome == CancelOutcome.RUNNING) {
      return Answers.now(Answers.json(202, tree(exchange, record)));
    }
    return outcome == CancelOutcome.CANCELLED
        ? end(exchange, record)
        : store
            .find(record.id())
            .thenApply(now -> now.orElse(record))
            .thenCompose(
                now ->
                    now.state().isEnded()
                        ? Answers.now(Answers.json(200, tree(exchange, now)))
                        : end(exchange, now));
  }

  private CompletionStage<Answer> end(Exchange exchange, TaskRecord record) {
    TaskRecord ended =
        record.progressed(
            TaskRecord.State.CANCELLED, record.counts(), record.position(), clock.instant());
    return Problems.ofDone(
            store.save(ended),
            "The task is cancelled, but this could not be recorded; send the request again")
        .thenApply(saved -> Answers.json(200, tree(exchange, ended)));
  }
}
