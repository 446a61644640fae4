package io.punctual.http.dead;

import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetters;
import io.punctual.http.HttpLimits;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.JsonInput;
import io.punctual.http.message.Draft;
import io.punctual.http.message.MessageRoutes;
import io.punctual.http.message.Turnstile;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Media;
import io.punctual.http.route.Route;
import io.punctual.view.GroupView;
import io.punctual.view.Outcome;
import io.punctual.view.Outcomes;
import io.punctual.view.Redaction;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The routes of dead letters. */
public final class DeadRoutes {
  private static final String ALL = "/v1/queues/{queue}/dead";
  private static final String[] FILTER = {"group", "reason", "failure", "from", "to", "prefix"};

  private final Queues queues;
  private final HttpLimits limits;
  private final InstantSource clock;
  private final Turnstile contents;

  /**
   * Creates the routes.
   *
   * @param contents where requests for pages with contents wait for their turn
   */
  public DeadRoutes(Queues queues, HttpLimits limits, InstantSource clock, Turnstile contents) {
    this.queues = queues;
    this.limits = limits;
    this.clock = clock;
    this.contents = contents;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    List<String> list = new ArrayList<>(List.of(FILTER));
    list.addAll(List.of("cursor", "limit"));
    routes.add(Route.of("GET", ALL, this::list, Right.OBSERVE).query(list.toArray(String[]::new)));
    routes.add(Route.of("GET", ALL + "/groups", this::groups, Right.OBSERVE).query(FILTER).scan());
    // The second form is for ids that a path can't carry.
    for (String one : List.of("/v1/queues/{queue}/messages/{id}", "/v1/queues/{queue}/message")) {
      String[] query = one.endsWith("}") ? new String[0] : new String[] {"id"};
      routes.add(
          Route.of("POST", one + "/redrive", this::redrive, Right.OPERATE)
              .query(query)
              .body(2L * limits.payloadBytes() + (64 << 10), Media.JSON, Media.BYTES));
      routes.add(Route.of("DELETE", one + "/dead", this::delete, Right.OPERATE).query(query));
    }
    return routes;
  }

  private CompletionStage<DeadLetters<byte[]>> open(Exchange exchange) {
    return queues.existing(exchange.queue()).thenApply(queue -> queue.deadLetters());
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    DeadLetterQuery all =
        DeadLetterQuery.of(DeadFilters.query(exchange)).limit(exchange.query().limit());
    DeadLetterQuery query = exchange.query().text("cursor").map(all::after).orElse(all);
    Redaction redaction = MessageRoutes.redaction(exchange);
    return contents.pass(
        () ->
            open(exchange)
                .thenCompose(dead -> dead.async().list(query))
                .thenApply(
                    page ->
                        Answers.json(
                            200, MessageRoutes.page(page, redaction.showsContents(), redaction))));
  }

  private CompletionStage<Answer> groups(Exchange exchange) {
    DeadLetterFilter filter = DeadFilters.query(exchange);
    Redaction redaction = MessageRoutes.redaction(exchange);
    Instant begin = clock.instant();
    return open(exchange)
        .thenCompose(dead -> dead.async().groups(filter).done())
        .thenApply(groups -> Answers.json(200, tree(groups, redaction, begin)));
  }

  private Map<String, @Nullable Object> tree(
      DeadLetterGroups groups, Redaction redaction, Instant begin) {
    return new Tree()
        .putAll(
            "groups",
            groups.groups().stream().map(group -> GroupView.of(group, redaction)).toList())
        .put("others", groups.others())
        .put("total", groups.total())
        .put("scannedAt", Values.instant(begin))
        .put("scanMillis", Duration.between(begin, clock.instant()).toMillis())
        .toMap();
  }

  private CompletionStage<Answer> redrive(Exchange exchange) {
    String id = exchange.id();
    byte @Nullable [] payload = payload(exchange);
    return open(exchange)
        .thenCompose(
            dead -> payload == null ? dead.async().redrive(id) : dead.async().redrive(id, payload))
        .thenApply(DeadRoutes::answer);
  }

  private byte @Nullable [] payload(Exchange exchange) {
    if (exchange.type().equals(Media.BYTES)) {
      return Draft.checkSize(exchange.body(), limits.payloadBytes());
    }
    return exchange.body().length == 0
        ? null
        : JsonInput.read(exchange.body(), input -> Draft.readPayload(input, limits.payloadBytes()));
  }

  private CompletionStage<Answer> delete(Exchange exchange) {
    String id = exchange.id();
    return open(exchange)
        .thenCompose(dead -> dead.async().delete(id))
        .thenApply(DeadRoutes::answer);
  }

  private static Answer answer(DeadLetterOutcome outcome) {
    return switch (outcome) {
      case DONE -> Answers.json(Outcomes.of(outcome).status(), Map.of("outcome", outcome.name()));
      case NOT_DEAD ->
          throw Problem.of(Outcome.CONFLICT, "The message is not dead; nothing was changed")
              .exception();
      case NOT_FOUND -> throw Problems.notFound("The queue has no message with this id");
    };
  }
}
