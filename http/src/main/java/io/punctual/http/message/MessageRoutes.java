package io.punctual.http.message;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.RescheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.HttpLimits;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Media;
import io.punctual.http.route.Route;
import io.punctual.view.MessageView;
import io.punctual.view.Outcome;
import io.punctual.view.Outcomes;
import io.punctual.view.Redaction;
import io.punctual.view.Tree;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of messages. */
public final class MessageRoutes {
  private static final String ALL = "/v1/queues/{queue}/messages";
  private static final Duration REMEMBERED = Duration.ofHours(24);
  private static final String FLOW = "programs schedule messages all the time";
  private static final Fields DUE = Fields.of("delay", "dueAt");

  private final Queues queues;
  private final HttpLimits limits;
  private final Turnstile contents;

  /**
   * Creates the routes.
   *
   * @param contents where requests for pages with contents wait for their turn
   */
  public MessageRoutes(Queues queues, HttpLimits limits, Turnstile contents) {
    this.queues = queues;
    this.limits = limits;
    this.contents = contents;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    List<Route> routes = new java.util.ArrayList<>();
    routes.add(
        Route.of("POST", ALL, this::post, Right.PRODUCE)
            .body(limits.bodyBytes(), Media.JSON, Media.LINES)
            .unaudited(FLOW));
    routes.add(
        Route.of("GET", ALL, this::list, Right.OBSERVE)
            .query("state", "from", "to", "cursor", "limit", "fields"));
    // The second form is for ids that a path can't carry.
    for (String one : List.of(ALL + "/{id}", "/v1/queues/{queue}/message")) {
      String[] query = one.endsWith("}") ? new String[0] : new String[] {"id"};
      routes.add(
          Route.of("PUT", one, this::put, Right.PRODUCE)
              .query(query)
              .body(2L * limits.payloadBytes() + (64 << 10), Media.JSON, Media.BYTES)
              .unaudited(FLOW));
      routes.add(Route.of("GET", one, this::get, Right.OBSERVE, Right.PRODUCE).query(query));
      routes.add(Route.of("DELETE", one, this::cancel, Right.PRODUCE, Right.OPERATE).query(query));
      routes.add(
          Route.of("PATCH", one, this::reschedule, Right.PRODUCE, Right.OPERATE)
              .query(query)
              .json());
      routes.add(
          Route.of("POST", one + "/run", this::run, Right.PRODUCE, Right.OPERATE).query(query));
      routes.add(
          Route.of("GET", one + "/payload", this::payload, Right.PAYLOADS)
              .query(query)
              .produces(Media.BYTES));
    }
    return routes;
  }

  private CompletionStage<Answer> post(Exchange exchange) {
    String key = exchange.head().header("Idempotency-Key");
    if (exchange.type().equals(Media.LINES)) {
      refuseKey(key);
      Batch batch = Batch.ofLines(exchange.body(), limits.payloadBytes());
      return queues
          .open(exchange.queue())
          .thenCompose(batch::schedule)
          .thenApply(results -> Answers.bytes(200, Media.LINES, lines(results)));
    }
    int most = limits.payloadBytes();
    List<Draft> drafts =
        JsonInput.read(
            exchange.body(),
            input ->
                input.isArray()
                    ? input.array(Batch.MOST, each -> Draft.read(each, most))
                    : List.of(Draft.read(input, most)));
    boolean isOne = firstCharacter(exchange.body()) != '[';
    if (isOne) {
      Draft draft = drafts.get(0);
      return schedule(exchange, key == null ? draft : draft.id(key).rememberedFor(REMEMBERED));
    }
    refuseKey(key);
    if (drafts.isEmpty()) {
      throw Problems.invalid("The array has no messages");
    }
    Batch batch = Batch.of(drafts);
    return queues
        .open(exchange.queue())
        .thenCompose(batch::schedule)
        .thenApply(results -> Answers.json(200, Map.of("results", results)));
  }

  private static void refuseKey(@Nullable String key) {
    if (key != null) {
      throw Problems.invalid(
          "Idempotency-Key is for a request with one message; give each message of several an id"
              + " and rememberFor");
    }
  }

  private static int firstCharacter(byte[] body) {
    for (byte b : body) {
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b;
      }
    }
    return -1;
  }

  private static byte[] lines(List<Map<String, @Nullable Object>> results) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Map<String, @Nullable Object> result : results) {
      out.writeBytes(JsonOutput.tree(result));
      out.write('\n');
    }
    return out.toByteArray();
  }

  private CompletionStage<Answer> put(Exchange exchange) {
    int most = limits.payloadBytes();
    Draft draft =
        exchange.type().equals(Media.JSON)
            ? JsonInput.read(exchange.body(), input -> Draft.read(input, most))
            : RawMessage.read(exchange.head(), exchange.body(), most);
    return schedule(exchange, draft.id(exchange.id()));
  }

  private CompletionStage<Answer> schedule(Exchange exchange, Draft draft) {
    return queues
        .open(exchange.queue())
        .thenCompose(queue -> queue.async().schedule(draft.message(), draft.ifPresent()))
        .thenApply(MessageRoutes::scheduled);
  }

  private static Answer scheduled(Scheduled scheduled) {
    Outcome outcome = Outcomes.of(scheduled.outcome());
    if (outcome.isProblem()) {
      throw Problem.of(
              outcome,
              "The queue has a message with this id, or remembers the id, and ifPresent is reject")
          .about(null, scheduled.id())
          .exception();
    }
    return Answers.json(outcome.status(), Batch.tree(scheduled));
  }

  private CompletionStage<Answer> get(Exchange exchange) {
    return find(exchange)
        .thenApply(
            found -> {
              MessageView view = MessageView.of(found, redaction(exchange));
              return Answers.json(200, view.tree());
            });
  }

  private CompletionStage<StoredMessage<byte[]>> find(Exchange exchange) {
    String id = exchange.id();
    return queues
        .existing(exchange.queue())
        .thenCompose(queue -> queue.async().find(id))
        .thenApply(found -> found.orElseThrow(MessageRoutes::absent));
  }

  private CompletionStage<Answer> payload(Exchange exchange) {
    return find(exchange)
        .thenApply(
            found -> {
              if (found.state() == State.FINISHED) {
                throw absent();
              }
              Answer answer = Answers.bytes(200, Media.BYTES, found.payloadBytes());
              Map<String, String> headers = new LinkedHashMap<>(answer.headers());
              headers.put("Content-Disposition", "attachment; filename=\"payload.bin\"");
              return new Answer(200, headers, answer.body(), answer.written());
            });
  }

  private CompletionStage<Answer> cancel(Exchange exchange) {
    String id = exchange.id();
    return change(exchange, queue -> queue.async().cancel(id))
        .thenApply(
            outcome ->
                outcome(
                    Outcomes.of(outcome),
                    outcome.name(),
                    outcome == CancelOutcome.DEAD
                        ? "The message is a dead letter; redrive or delete it instead"
                        : ABSENT));
  }

  private CompletionStage<Answer> reschedule(Exchange exchange) {
    String id = exchange.id();
    Due[] due = new Due[2];
    JsonInput.read(
        exchange.body(),
        input -> {
          input.object(
              DUE,
              name -> {
                if (name.equals("delay")) {
                  due[0] = Due.after(input.duration());
                } else {
                  due[1] = Due.at(input.instant());
                }
              });
          return input;
        });
    if ((due[0] == null) == (due[1] == null)) {
      throw Problems.invalid("Send either a delay or dueAt");
    }
    return change(exchange, queue -> queue.async().reschedule(id, due[0] == null ? due[1] : due[0]))
        .thenApply(MessageRoutes::rescheduled);
  }

  private CompletionStage<Answer> run(Exchange exchange) {
    String id = exchange.id();
    return change(exchange, queue -> queue.async().runNow(id))
        .thenApply(MessageRoutes::rescheduled);
  }

  private static Answer rescheduled(RescheduleOutcome outcome) {
    String detail =
        switch (outcome) {
          case RUNNING -> "A consumer holds the message; nothing was changed";
          case DEAD -> "The message is a dead letter; redrive it instead";
          default -> ABSENT;
        };
    return outcome(Outcomes.of(outcome), outcome.name(), detail);
  }

  private static final String ABSENT =
      "The queue has no message with this id; a finished message leaves at most its id";

  private static Answer outcome(Outcome outcome, String name, String detail) {
    if (outcome.isProblem()) {
      throw Problem.of(outcome, detail).exception();
    }
    return Answers.json(outcome.status(), Map.of("outcome", name));
  }

  private static RuntimeException absent() {
    return Problems.notFound(ABSENT);
  }

  /** A change of one message, on a queue that exists. */
  private interface Change<T> {
    CompletionStage<T> of(TimedQueue<byte[]> queue);
  }

  private <T> CompletionStage<T> change(Exchange exchange, Change<T> change) {
    return queues.existing(exchange.queue()).thenCompose(change::of);
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    boolean hasPayloads =
        exchange
            .query()
            .text("fields")
            .map(
                fields -> {
                  if (!fields.equals("payload")) {
                    throw Problems.invalid("The query parameter fields: must be payload");
                  }
                  return true;
                })
            .orElse(false);
    if (hasPayloads) {
      exchange.requirePayloads(exchange.queue());
    }
    MessageQuery query = query(exchange, hasPayloads);
    Redaction redaction = redaction(exchange);
    Supplier<CompletionStage<Answer>> read =
        () ->
            queues
                .existing(exchange.queue())
                .thenCompose(queue -> queue.async().browse(query))
                .thenApply(page -> Answers.json(200, page(page, hasPayloads, redaction)));
    return hasPayloads ? contents.pass(read) : read.get();
  }

  private static MessageQuery query(Exchange exchange, boolean hasPayloads) {
    State state =
        exchange
            .query()
            .constant("state", State.class)
            .orElseThrow(() -> Problems.invalid("The query parameter state: is required"));
    MessageQuery query = MessageQuery.of(state).limit(exchange.query().limit());
    query = exchange.query().instant("from").map(query::from).orElse(query);
    query = exchange.query().instant("to").map(query::to).orElse(query);
    query = exchange.query().text("cursor").map(query::after).orElse(query);
    return hasPayloads ? query : query.withoutPayloads();
  }

  /** Returns a page of messages as a tree. */
  public static Map<String, @Nullable Object> page(
      Page<StoredMessage<byte[]>> page, boolean hasPayloads, Redaction redaction) {
    List<Map<String, @Nullable Object>> messages =
        page.items().stream()
            .map(
                message ->
                    hasPayloads
                        ? MessageView.of(message, redaction).tree()
                        : MessageView.withoutPayload(message, redaction).tree())
            .toList();
    return new Tree().put("messages", messages).put("next", page.next().orElse(null)).toMap();
  }

  /** Returns what the caller may see of the messages of the queue. */
  public static Redaction redaction(Exchange exchange) {
    return exchange.redaction(exchange.queue());
  }
}
