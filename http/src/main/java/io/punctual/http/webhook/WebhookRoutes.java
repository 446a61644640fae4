package io.punctual.http.webhook;

import io.punctual.Page;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.own.TaskRoutes;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Route;
import io.punctual.view.Outcome;
import io.punctual.view.Tree;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of webhooks. */
@SuppressWarnings("exports") // Public for the API of this module, which alone takes routes.
public final class WebhookRoutes {
  private static final Duration OVERLAP = Duration.ofDays(1);
  private static final Duration LONGEST_OVERLAP = Duration.ofDays(90);
  private static final int MOST_TASKS = 100;
  private static final Fields NONE = Fields.of("reason");
  private static final Fields KEY = Fields.of("kind", "secret", "overlap", "reason");
  private static final Fields REPLAY = Fields.of("since", "rate", "reason");

  private final @Nullable Webhooks webhooks;
  private final Queues queues;
  private final TaskRoutes tasks;
  private final InstantSource clock;

  /**
   * Creates the routes.
   *
   * @param webhooks the webhooks of the process, or null if it has none
   */
  public WebhookRoutes(
      @Nullable Webhooks webhooks, Queues queues, TaskRoutes tasks, InstantSource clock) {
    this.webhooks = webhooks;
    this.queues = queues;
    this.tasks = tasks;
    this.clock = clock;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    String one = "/v1/webhooks/{webhook}";
    return List.of(
        Route.of("GET", "/v1/webhooks", this::list, Right.OBSERVE, Right.OPERATE),
        Route.of("GET", one, this::get, Right.OBSERVE, Right.OPERATE),
        Route.of("PUT", one, this::put, Right.OPERATE).json(),
        Route.of("DELETE", one, this::delete, Right.OPERATE),
        Route.of("POST", one + "/enable", this::enable, Right.OPERATE).json(),
        Route.of("POST", one + "/keys", this::rotate, Right.OPERATE).json(),
        Route.of("POST", one + "/test", this::test, Right.OPERATE).json(),
        Route.of("POST", one + "/replay", this::replay, Right.OPERATE).json(),
        Route.of("GET", one + "/deliveries", this::deliveries, Right.OBSERVE, Right.OPERATE)
            .query("cursor", "limit"));
  }

  private Webhooks webhooks() {
    if (webhooks == null) {
      throw Problems.notFound(
          "This process delivers no webhooks: only a Punctual server does, unless it is in its"
              + " read-only mode");
    }
    return webhooks;
  }

  private static boolean sees(Caller caller, WebhookSpec spec) {
    return Queues.sees(caller, Right.OBSERVE, spec.queue())
        || Queues.sees(caller, Right.OPERATE, spec.queue());
  }

  private static Map<String, @Nullable Object> tree(Exchange exchange, WebhookView view) {
    return view.tree(exchange.caller().may(Right.OPERATE, view.spec().queue()));
  }

  /** Finds the target of the path, which the caller may see. */
  private WebhookView seen(Exchange exchange) {
    return webhooks()
        .find(exchange.path("webhook"))
        .filter(view -> sees(exchange.caller(), view.spec()))
        .orElseThrow(() -> Problems.notFound("There is no webhook of this name"));
  }

  /** Finds the target of the path, which the caller may change. */
  private WebhookView own(Exchange exchange) {
    WebhookView view = seen(exchange);
    checkOperates(exchange.caller(), view.spec());
    exchange.note().queue(view.spec().queueText());
    return view;
  }

  private static void checkOperates(Caller caller, WebhookSpec spec) {
    if (!Queues.sees(caller, Right.OPERATE, spec.queue())) {
      throw Problem.of(
              Outcome.FORBIDDEN,
              "The caller has not the right OPERATE to all queues of this webhook")
          .exception();
    }
  }

  /** Turns the failures that {@link Webhooks} promises into problems. */
  private static CompletionStage<Answer> answer(Supplier<CompletionStage<Answer>> work) {
    CompletionStage<Answer> stage;
    try {
      stage = work.get();
    } catch (IllegalArgumentException | IllegalStateException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.exceptionally(
        failure -> {
          Throwable cause =
              failure instanceof CompletionException && failure.getCause() != null
                  ? failure.getCause()
                  : failure;
          if (cause.getClass() == IllegalArgumentException.class) {
            throw Problems.invalid(sentence(cause));
          }
          if (cause.getClass() == IllegalStateException.class) {
            throw Problem.of(Outcome.CONFLICT, sentence(cause)).exception();
          }
          throw new CompletionException(cause);
        });
  }

  private static String sentence(Throwable cause) {
    String text = String.valueOf(cause.getMessage());
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (WebhookView view : webhooks().list()) {
      if (sees(exchange.caller(), view.spec())) {
        items.add(tree(exchange, view));
      }
    }
    return Answers.now(Answers.json(200, new Tree().put("items", items).toMap()));
  }

  private CompletionStage<Answer> get(Exchange exchange) {
    return Answers.now(Answers.json(200, tree(exchange, seen(exchange))));
  }

  private CompletionStage<Answer> put(Exchange exchange) {
    Webhooks all = webhooks();
    String name = exchange.path("webhook");
    WebhookSpec.Parts parts = new WebhookSpec.Parts();
    WebhookSpec spec =
        JsonInput.read(
            exchange.body(),
            input -> {
              input.object(WebhookSpec.FIELDS, field -> parts.read(field, input));
              try {
                return parts.spec(name);
              } catch (IllegalArgumentException e) {
                throw Problems.invalid(sentence(e));
              }
            });
    checkOperates(exchange.caller(), spec);
    if (!Queues.sees(exchange.caller(), Right.CONSUME, spec.queue())) {
      throw Problem.of(
              Outcome.FORBIDDEN,
              "A webhook takes messages and sends them away, so its owner also needs the right"
                  + " CONSUME to all of its queues")
          .exception();
    }
    exchange.note().queue(spec.queueText());
    Optional<WebhookView> before = all.find(name);
    before.ifPresent(view -> checkOperates(exchange.caller(), view.spec()));
    if (before.isPresent()) {
      if (parts.secret != null) {
        throw Problems.invalid("This webhook has keys; add one with POST …/keys");
      }
      return answer(
          () ->
              all.put(spec, Optional.empty())
                  .thenApply(view -> Answers.json(200, tree(exchange, view))));
    }
    return answer(
        () -> {
          WebhookKey key = key(parts.kind, parts.secret);
          return all.put(spec, Optional.of(key))
              .thenApply(view -> Answers.json(201, withSecret(exchange, view, key)));
        });
  }

  private WebhookKey key(WebhookKey.Kind kind, @Nullable String secret) {
    WebhookKey made = WebhookKey.generate(kind, clock.instant());
    return secret == null ? made : WebhookKey.parse(made.id(), secret, made.since(), null);
  }

  private static Map<String, @Nullable Object> withSecret(
      Exchange exchange, WebhookView view, WebhookKey key) {
    Map<String, @Nullable Object> tree = tree(exchange, view);
    tree.put("key", key.treeWithSecret());
    return tree;
  }

  private CompletionStage<Answer> delete(Exchange exchange) {
    WebhookView view = own(exchange);
    return answer(() -> webhooks().delete(view.spec().name()).thenApply(done -> Answers.none()));
  }

  private CompletionStage<Answer> enable(Exchange exchange) {
    WebhookView view = own(exchange);
    if (exchange.body().length > 0) {
      JsonInput.read(exchange.body(), input -> reason(input, NONE));
    }
    return answer(
        () ->
            webhooks()
                .enable(view.spec().name())
                .thenApply(enabled -> Answers.json(200, tree(exchange, enabled))));
  }

  private static String reason(JsonInput input, Fields fields) {
    String[] reason = {""};
    input.object(fields, name -> reason[0] = input.text());
    return reason[0];
  }

  private CompletionStage<Answer> rotate(Exchange exchange) {
    WebhookView view = own(exchange);
    KeyInput asked = new KeyInput();
    if (exchange.body().length > 0) {
      JsonInput.read(
          exchange.body(),
          input -> {
            input.object(KEY, name -> asked.read(name, input));
            return asked;
          });
    }
    if (asked.overlap.isNegative() || asked.overlap.compareTo(LONGEST_OVERLAP) > 0) {
      throw Problems.invalid("'overlap' must be 0 s to 90 d");
    }
    return answer(
        () -> {
          WebhookKey key = key(asked.kind, asked.secret);
          return webhooks()
              .rotate(view.spec().name(), key, asked.overlap)
              .thenApply(rotated -> Answers.json(201, withSecret(exchange, rotated, key)));
        });
  }

  private static final class KeyInput {
    private WebhookKey.Kind kind = WebhookKey.Kind.HMAC;
    private @Nullable String secret;
    private Duration overlap = OVERLAP;

    void read(String name, JsonInput input) {
      switch (name) {
        case "kind" -> kind = input.constant(WebhookKey.Kind.class);
        case "secret" -> secret = input.text();
        case "overlap" -> overlap = input.duration();
        default -> {
          String unused = input.text();
        }
      }
    }
  }

  private CompletionStage<Answer> test(Exchange exchange) {
    WebhookView view = own(exchange);
    if (exchange.body().length > 0) {
      JsonInput.read(exchange.body(), input -> reason(input, NONE));
    }
    boolean hasError = exchange.seesPayloads(view.spec().queue());
    return answer(
        () ->
            webhooks()
                .test(view.spec().name())
                .thenApply(attempt -> Answers.json(200, attempt.tree(hasError))));
  }

  private CompletionStage<Answer> deliveries(Exchange exchange) {
    WebhookView view = seen(exchange);
    boolean hasError = exchange.seesPayloads(view.spec().queue());
    return answer(
        () ->
            webhooks()
                .deliveries(
                    view.spec().name(), exchange.query().text("cursor"), exchange.query().limit())
                .thenApply(page -> Answers.json(200, page(page, hasError))));
  }

  private static Map<String, @Nullable Object> page(Page<WebhookAttempt> page, boolean hasError) {
    return new Tree()
        .put("items", page.items().stream().map(attempt -> attempt.tree(hasError)).toList())
        .put("next", page.next().orElse(null))
        .toMap();
  }

  private CompletionStage<Answer> replay(Exchange exchange) {
    WebhookView view = own(exchange);
    ReplayInput asked = new ReplayInput();
    JsonInput.read(
        exchange.body(),
        input -> {
          input.object(REPLAY, name -> asked.read(name, input));
          return asked;
        });
    Instant since = asked.since;
    if (since == null) {
      throw Problems.invalid("'since' is missing: the time from which on messages are sent again");
    }
    return answer(
        () ->
            webhooks()
                .replay(view.spec().name(), since)
                .thenCompose(
                    replay ->
                        redrive(exchange, replay.queues(), since, asked)
                            .thenApply(begun -> Answers.json(202, replayed(replay, begun)))));
  }

  private CompletionStage<List<Map<String, @Nullable Object>>> redrive(
      Exchange exchange, List<String> names, Instant since, ReplayInput asked) {
    CompletionStage<List<Map<String, @Nullable Object>>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (String name : names) {
      all =
          all.thenCompose(
              begun ->
                  begun.size() == MOST_TASKS
                      ? CompletableFuture.completedFuture(begun)
                      : queues
                          .find(name)
                          .thenCompose(
                              info ->
                                  info.isEmpty() || info.get().counts().dead() == 0
                                      ? CompletableFuture.completedFuture(begun)
                                      : tasks
                                          .redriveSince(
                                              exchange, name, since, asked.rate, asked.reason)
                                          .thenApply(
                                              task -> {
                                                begun.add(task);
                                                return begun;
                                              })));
    }
    return all;
  }

  private static Map<String, @Nullable Object> replayed(
      Webhooks.Replay replay, List<Map<String, @Nullable Object>> tasks) {
    return new Tree()
        .put("scheduled", replay.scheduled())
        .put("skipped", replay.skipped())
        .put("tasks", tasks)
        .toMap();
  }

  private static final class ReplayInput {
    private @Nullable Instant since;
    private int rate;
    private @Nullable String reason;

    void read(String name, JsonInput input) {
      switch (name) {
        case "since" -> since = input.instant();
        case "rate" -> rate = (int) input.number(1, 1_000_000);
        default -> reason = input.text();
      }
    }
  }
}
