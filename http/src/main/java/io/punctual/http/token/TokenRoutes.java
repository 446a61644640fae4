package io.punctual.http.token;

import io.punctual.http.access.AccessToken;
import io.punctual.http.access.Right;
import io.punctual.http.access.Roles;
import io.punctual.http.exchange.Answer;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.route.Answers;
import io.punctual.http.route.Exchange;
import io.punctual.http.route.Route;
import io.punctual.view.Outcome;
import io.punctual.view.Tree;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The routes of tokens. A caller manages the tokens whose rights are all to queues to which it has
 * the right ADMIN.
 */
@SuppressWarnings("exports") // Public for the API of this module, which alone takes routes.
public final class TokenRoutes {
  private static final Fields FIELDS = Fields.of("id", "role", "expires");
  private static final int MOST_ROLES = 100;

  private final @Nullable StoredTokens tokens;
  private final @Nullable Roles roles;
  private final InstantSource clock;

  /** Creates the routes; without tokens, they say that there are none. */
  public TokenRoutes(@Nullable StoredTokens tokens, @Nullable Roles roles, InstantSource clock) {
    this.tokens = tokens;
    this.roles = roles;
    this.clock = clock;
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return List.of(
        Route.of("POST", "/v1/tokens", this::post, Right.ADMIN).json(),
        Route.of("GET", "/v1/tokens", this::list, Right.ADMIN),
        Route.of("DELETE", "/v1/tokens/{token}", this::revoke, Right.ADMIN));
  }

  private StoredTokens tokens() {
    if (tokens == null) {
      throw none();
    }
    return tokens;
  }

  private Roles roles() {
    if (roles == null) {
      throw none();
    }
    return roles;
  }

  private static RuntimeException none() {
    return Problem.of(
            Outcome.CONFLICT,
            "This API is part of an application, which knows its callers; it makes no tokens")
        .exception();
  }

  /** What a caller asks for. */
  private static final class Order {
    String id = "";
    final List<String> roles = new ArrayList<>();
    @Nullable Instant expires;

    static Order read(JsonInput input) {
      Order order = new Order();
      input.object(FIELDS, name -> order.read(name, input));
      if (order.id.isEmpty() || order.roles.isEmpty()) {
        throw input.bad("a token needs an id and a role");
      }
      return order;
    }

    private void read(String name, JsonInput input) {
      switch (name) {
        case "id" -> id = input.text();
        case "role" ->
            roles.addAll(
                input.isArray() ? input.array(MOST_ROLES, JsonInput::text) : List.of(input.text()));
        default -> expires = input.instant();
      }
    }
  }

  private CompletionStage<Answer> post(Exchange exchange) {
    StoredTokens all = tokens();
    Order order = JsonInput.read(exchange.body(), Order::read);
    Instant now = clock.instant();
    Instant expires = order.expires;
    if (expires != null && !expires.isAfter(now)) {
      throw Problems.invalid("The token expires in the past; send a later instant, or none");
    }
    String text = text(order.id);
    TokenRecord record =
        new TokenRecord(
            order.id,
            AccessToken.sha256(text),
            order.roles,
            expires,
            now,
            exchange.caller().name());
    if (!roles().grants().keySet().containsAll(order.roles)
        || !record.isManagedBy(exchange.caller(), roles().grants())) {
      throw Problem.of(
              Outcome.FORBIDDEN,
              "The configuration has no such role, or the role has rights to queues to which the"
                  + " caller has not the right ADMIN")
          .exception();
    }
    exchange.note().id(order.id);
    if (roles().isTaken(order.id)) {
      throw exists(order.id);
    }
    return all.list()
        .thenCompose(
            known -> {
              if (known.size() >= StoredTokens.MOST) {
                throw Problem.of(
                        Outcome.CONFLICT,
                        "There are " + StoredTokens.MOST + " tokens; revoke some first")
                    .exception();
              }
              return all.add(record);
            })
        .thenApply(
            isNew -> {
              if (!isNew) {
                throw exists(order.id);
              }
              return Answers.json(201, record.tree().put("token", text).toMap());
            });
  }

  private static String text(String id) {
    try {
      return AccessToken.generate(id);
    } catch (IllegalArgumentException e) {
      throw Problems.invalid(String.valueOf(e.getMessage()));
    }
  }

  private static RuntimeException exists(String id) {
    return Problem.of(
            Outcome.EXISTS,
            "A caller has this id already. If the answer with the token was lost, revoke the token"
                + " first")
        .about(null, id)
        .exception();
  }

  private CompletionStage<Answer> list(Exchange exchange) {
    Roles now = roles();
    return tokens()
        .list()
        .thenApply(
            all ->
                Answers.json(
                    200,
                    new Tree()
                        .put(
                            "tokens",
                            all.stream()
                                .filter(r -> r.isManagedBy(exchange.caller(), now.grants()))
                                .map(record -> record.tree().toMap())
                                .toList())
                        .toMap()));
  }

  private CompletionStage<Answer> revoke(Exchange exchange) {
    StoredTokens all = tokens();
    Roles now = roles();
    String id = exchange.path("token");
    return all.list()
        .thenCompose(
            known -> {
              boolean isManaged =
                  known.stream()
                      .anyMatch(
                          record ->
                              record.id().equals(id)
                                  && record.isManagedBy(exchange.caller(), now.grants()));
              if (!isManaged) {
                throw absent();
              }
              return all.revoke(id);
            })
        .thenApply(
            wasThere -> {
              if (!wasThere) {
                throw absent();
              }
              return Answers.none();
            });
  }

  private static RuntimeException absent() {
    return Problems.notFound(
        "The API has made no token with this id; a token of the configuration ends by a reload");
  }
}
