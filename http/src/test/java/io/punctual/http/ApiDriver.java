package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.access.Roles;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.token.StoredTokens;
import io.punctual.timer.WheelTimer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Calls the API without a server, and checks every answer against the contract. A token is the name
 * of a caller; without one, the caller may do everything.
 */
class ApiDriver implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  final Punctual punctual;
  final HttpApi api;
  private final Map<String, Caller> callers = new ConcurrentHashMap<>();

  /** The roles that tokens can have. */
  final Map<String, Set<Grant>> roles = new ConcurrentHashMap<>();

  private final WheelTimer timer;
  private final StoredTokens tokens;

  ApiDriver(String store, UnaryOperator<HttpApi.Builder> settings) {
    this(Punctual.open(store), settings);
  }

  ApiDriver(Punctual punctual, UnaryOperator<HttpApi.Builder> settings) {
    this.punctual = punctual;
    timer = WheelTimer.create();
    tokens = new StoredTokens(punctual, InstantSource.system(), Runnable::run);
    tokens.start(timer).exceptionally(failure -> null).toCompletableFuture().join();
    callers.put("", caller("tester", "", Right.values()));
    Authenticator authenticator =
        head -> {
          String token = head.header("Authorization");
          String name = token == null ? "" : token.replace("Bearer ", "");
          Caller caller = callers.get(name);
          caller = caller == null ? tokens.find(name, roles) : caller;
          if (caller == null) {
            throw new UnauthenticatedException("Send a valid token");
          }
          return caller;
        };
    Roles known =
        new Roles() {
          @Override
          public Map<String, Set<Grant>> grants() {
            return roles;
          }

          @Override
          public boolean isTaken(String name) {
            return callers.containsKey(name);
          }
        };
    api = settings.apply(HttpApi.builder(punctual, authenticator).tokens(tokens, known)).build();
  }

  static ApiDriver memory() {
    return new ApiDriver("memory:", builder -> builder);
  }

  private static Caller caller(String name, String prefix, Right... rights) {
    return new Caller(
        name,
        Arrays.stream(rights).map(right -> new Grant(right, prefix)).collect(Collectors.toSet()));
  }

  /** Adds a caller whose name is its token. */
  void add(String name, String prefix, Right... rights) {
    Set<Grant> grants = caller(name, prefix, rights).grants();
    Caller known = callers.get(name);
    Set<Grant> all = new java.util.HashSet<>(known == null ? Set.of() : known.grants());
    all.addAll(grants);
    callers.put(name, new Caller(name, all));
  }

  /** Ends the token of a caller. */
  void remove(String name) {
    callers.remove(name);
  }

  /** An answer. */
  record Response(int status, Map<String, String> headers, byte[] body, Answer.Written written) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    JsonNode json() {
      return JSON.readTree(body);
    }

    JsonNode at(String pointer) {
      return json().at(pointer);
    }

    Response is(int expected) {
      assertThat(status).as(text()).isEqualTo(expected);
      return this;
    }

    /** Checks that this is a problem of a type, whose text has a part. */
    Response isProblem(int expected, String type, String part) {
      is(expected);
      assertThat(headers).containsEntry("Content-Type", "application/problem+json");
      assertThat(at("/type").asString()).isEqualTo("urn:punctual:problem:" + type);
      assertThat(at("/detail").asString()).contains(part);
      return this;
    }
  }

  Response get(String target, String... headers) {
    return send(TestHead.of("GET", target, headers), new byte[0]);
  }

  Response delete(String target, String... headers) {
    return send(TestHead.of("DELETE", target, headers), new byte[0]);
  }

  Response post(String target, String json, String... headers) {
    return json("POST", target, json, headers);
  }

  /** Sends JSON in which single quotes stand for double ones. */
  Response json(String method, String target, String json, String... headers) {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "Content-Type";
    all[headers.length + 1] = "application/json";
    return send(
        TestHead.of(method, target, all), json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  Response send(TestHead head, byte[] body) {
    return await(start(head, body, Client.UNWATCHED));
  }

  CompletableFuture<Response> start(TestHead head, byte[] body, Client client) {
    Call call = api.accept(head);
    CompletableFuture<Answer> answer =
        body.length > call.maxBody()
            ? CompletableFuture.completedFuture(call.tooLarge())
            : call.answer(body, client).toCompletableFuture();
    return answer.thenApply(
        done -> {
          Response response =
              new Response(done.status(), done.headers(), content(done.body()), done.written());
          Contract.check(head, response);
          return response;
        });
  }

  static <T> T await(CompletableFuture<T> response) {
    try {
      return response.get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] content(Answer.Body body) {
    return body instanceof Answer.Bytes bytes ? bytes.content() : new byte[0];
  }

  @Override
  public void close() {
    api.close();
    tokens.close();
    timer.close();
    punctual.close();
  }
}
