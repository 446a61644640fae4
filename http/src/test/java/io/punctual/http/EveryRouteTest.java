package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Right;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.Sink;
import io.punctual.http.route.Route;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Calls every route of the table with every right, for the own prefix and for another one. A new
 * route fails until it has a rule here.
 */
final class EveryRouteTest {
  private static final Set<String> NAMING = Set.of("queue", "prefix", "cursor", "by", "id");

  private final ApiDriver api =
      new ApiDriver("memory:", builder -> builder.webhooks(new ListedWebhooks()));
  private final Tenant own = new Tenant(api, "own.", "of-mine");
  private final Tenant other = new Tenant(api, "other.", "of-another");

  @AfterEach
  void close() {
    api.close();
  }

  /**
   * How a route is called, in which {queue}, {id}, {task}, {worker} and others stand for those of a
   * tenant.
   *
   * @param query the query that the route needs, or an empty text
   * @param body JSON with single quotes, or an empty text
   * @param refusal the answer to a caller with the right to another prefix only: 403 if the request
   *     names a queue, 404 if it names something else, 200 if the answer lists what the caller sees
   */
  private record Rule(String query, String body, int refusal) {}

  private static final Map<String, Rule> RULES = rules();

  /** A further right that a route needs. */
  private static final Map<String, Right> ALSO =
      Map.of("PUT /v1/webhooks/{webhook}", Right.CONSUME);

  private static Map<String, Rule> rules() {
    Map<String, Rule> rules = new LinkedHashMap<>();
    rules.put("GET /openapi.json", new Rule("", "", 200));
    rules.put("GET /v1/caller", new Rule("", "", 200));
    for (String list :
        List.of(
            "queues", "overview/queues", "overview", "events", "recurring", "workers", "tasks")) {
      rules.put("GET /v1/" + list, new Rule("", "", 200));
    }
    rules.put("GET /v1/audit", new Rule("", "", 200));
    rules.put("GET /v1/find", new Rule("id={id}", "", 200));
    rules.put("PUT /v1/workers/{worker}/pause", new Rule("", "", 404));
    rules.put("DELETE /v1/workers/{worker}/pause", new Rule("", "", 404));
    rules.put(
        "POST /v1/tasks",
        new Rule("", "{'queue':'{queue}','action':'redrive','dryRun':true,'delay':'1d'}", 403));
    rules.put("GET /v1/tasks/{task}", new Rule("", "", 404));
    rules.put("DELETE /v1/tasks/{task}", new Rule("", "", 404));
    String queue = "/v1/queues/{queue}";
    for (String read : List.of("", "/forecast", "/diagnosis", "/lateness", "/dead/groups")) {
      rules.put("GET " + queue + read, new Rule("", "", 403));
    }
    rules.put("GET " + queue + "/dead", new Rule("", "", 403));
    rules.put("GET " + queue + "/messages", new Rule("state=scheduled", "", 403));
    rules.put("POST " + queue + "/messages", new Rule("", "{'payload':1,'delay':'1h'}", 403));
    rules.put("POST " + queue + "/claims", new Rule("", "{'max':1}", 403));
    rules.put(
        "POST " + queue + "/settlements",
        new Rule("", "[{'id':'{id}','token':'1.1','action':'ack'}]", 403));
    rules.put("PUT " + queue + "/pause", new Rule("", "{'reason':'why'}", 403));
    rules.put("DELETE " + queue + "/pause", new Rule("", "", 403));
    rules.put("PUT " + queue + "/limits", new Rule("", "{'rate':1000}", 403));
    rules.put("DELETE " + queue + "/limits", new Rule("", "", 403));
    for (String one : List.of("/messages/{id}", "/message")) {
      String query = one.equals("/message") ? "id={id}" : "";
      rules.put("GET " + queue + one, new Rule(query, "", 403));
      rules.put("GET " + queue + one + "/payload", new Rule(query, "", 403));
      rules.put("PUT " + queue + one, new Rule(query, "{'payload':1,'delay':'1h'}", 403));
      rules.put("PATCH " + queue + one, new Rule(query, "{'delay':'1h'}", 403));
      rules.put("POST " + queue + one + "/redrive", new Rule(query, "", 403));
      rules.put("DELETE " + queue + one + "/dead", new Rule(query, "", 403));
      rules.put("POST " + queue + one + "/run", new Rule(query, "", 403));
      rules.put("DELETE " + queue + one, new Rule(query, "", 403));
    }
    rules.put("DELETE " + queue, new Rule("", "", 403));
    String webhook = "/v1/webhooks/{webhook}";
    rules.put("GET /v1/webhooks", new Rule("", "", 200));
    rules.put("PUT " + webhook, new Rule("", Tenant.WEBHOOK, 403));
    for (String route :
        List.of("GET", "DELETE", "POST/enable", "POST/keys", "POST/test", "GET/deliveries")) {
      String method = route.replaceAll("/.*", "");
      rules.put(method + " " + webhook + route.substring(method.length()), new Rule("", "", 404));
    }
    String since = "{'since':'2026-01-01T00:00:00Z'}";
    rules.put("POST " + webhook + "/replay", new Rule("", since, 404));
    rules.put("POST /v1/tokens", new Rule("", "{'id':'{id}-2','role':'{queue}'}", 403));
    rules.put("GET /v1/tokens", new Rule("", "", 200));
    rules.put("DELETE /v1/tokens/{token}", new Rule("", "", 404));
    return rules;
  }

  private static String key(Route route) {
    return route.method() + " " + route.template();
  }

  private Rule rule(Route route) {
    Rule rule = RULES.get(key(route));
    assertThat(rule).as("a rule for " + key(route)).isNotNull();
    return rule;
  }

  @Test
  void everyRoute_hasARule() {
    TreeSet<String> table = new TreeSet<>();
    api.api.routes().forEach(route -> table.add(key(route)));
    assertThat(new TreeSet<>(RULES.keySet())).isEqualTo(table);
  }

  @Test
  void everyRight_opensItsRoutesOnly() {
    for (Route route : api.api.routes()) {
      for (Right right : Right.values()) {
        String caller = caller(right, own.prefix);
        Right more = ALSO.get(key(route));
        if (more != null) {
          assertThat(send(route, own, rule(route).query, caller).status).isEqualTo(403);
          caller = "also-" + caller;
          api.add(caller, own.prefix, right);
          api.add(caller, own.prefix, more);
        }
        Received answer = send(route, own, rule(route).query, caller);
        boolean may = route.rights().isEmpty() || route.rights().contains(right);
        if (may) {
          assertThat(answer.status).as(answer.what).isNotIn(401, 403, 429).isLessThan(500);
        } else {
          assertThat(answer.status).as(answer.what).isEqualTo(403);
        }
        answer.hasNothingOf(other.name, other.secret, "punctual.server.");
        if (!Tenant.OPEN.contains(right)) {
          answer.hasNothingOf(own.secret);
        }
      }
    }
  }

  @Test
  void noRightToAPrefix_opensAnotherPrefix() {
    for (Route route : api.api.routes()) {
      int refusal = rule(route).refusal;
      for (Right right : Right.values()) {
        if (!route.rights().isEmpty() && !route.rights().contains(right)) {
          continue;
        }
        // The caller has all rights to a third prefix, and the other rights to the tenant's.
        String caller = caller(right, own.prefix);
        for (Right more : Right.values()) {
          api.add(caller, "third.", more);
        }
        Received answer = send(route, other, rule(route).query, caller);
        assertThat(answer.status).as(answer.what).isEqualTo(refusal);
        answer.hasNothingOf(other.secret, "punctual.server.");
        // Nor does the answer say whether something is there.
        Received absent = send(route, new Absent(other), rule(route).query, caller);
        assertThat(absent.status).isEqualTo(answer.status);
        if (refusal != 200) {
          answer.hasNothingOf(other.name);
          assertThat(absent.body).as(answer.what).isEqualTo(answer.body);
        }
      }
    }
  }

  @Test
  void otherRightsToAPrefix_openNoRoute() {
    for (Route route : api.api.routes()) {
      if (route.rights().isEmpty() || rule(route).refusal == 200) {
        continue;
      }
      String caller = "mixed-" + key(route);
      for (Right right : Right.values()) {
        api.add(caller, route.rights().contains(right) ? own.prefix : other.prefix, right);
      }
      Received answer = send(route, other, rule(route).query, caller);
      assertThat(answer.status).as(answer.what).isIn(403, 404);
      answer.hasNothingOf(other.name, other.secret);
    }
  }

  @Test
  void parametersThatNameSomethingOfAnotherPrefix_findNothing() {
    for (Route route : api.api.routes()) {
      if (!route.method().equals("GET") || rule(route).refusal != 200) {
        continue;
      }
      for (String parameter : route.query()) {
        if (NAMING.contains(parameter)) {
          for (String value : List.of(other.queue, other.prefix, other.name, other.task)) {
            String caller = "all-" + own.prefix;
            for (Right right : Right.values()) {
              api.add(caller, own.prefix, right);
            }
            String query = parameter + "=" + value;
            if (route.query().contains("id") && !parameter.equals("id")) {
              query += "&id=" + other.name;
            }
            Received answer = send(route, other, query, caller);
            assertThat(answer.status).as(answer.what).isIn(200, 400);
            answer.hasNothingOf(other.secret, "punctual.server.");
            if (answer.status == 200) {
              answer.hasNothingOf(other.name);
            }
          }
        }
      }
    }
  }

  @Test
  void cursorsThatTheCallerMadeUp_areRefusedOrFindNothing() {
    List<String> cursors = new ArrayList<>(List.of("0", "-1:x", "x".repeat(4000), "%F0%9F%95%B0"));
    cursors.add("999999999999999999999:x");
    for (String text :
        List.of(
            "",
            "\n\n",
            other.queue + "\n0\n",
            other.queue + "\n-1\n",
            "x\n9\nx",
            "1795:x",
            "new:1:a")) {
      String coded =
          Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(text.getBytes(StandardCharsets.UTF_8));
      cursors.add(coded);
      cursors.add("0:" + coded);
      cursors.add("7:" + coded);
    }
    String caller = caller(Right.OBSERVE, own.prefix);
    api.add(caller, own.prefix, Right.OPERATE);
    api.add(caller, own.prefix, Right.PAYLOADS);
    for (Route route : api.api.routes()) {
      if (route.query().contains("cursor")) {
        for (String cursor : cursors) {
          String query = rule(route).query;
          query = (query.isEmpty() ? "" : query + "&") + "cursor=" + cursor;
          Received answer = send(route, own, query, caller);
          assertThat(answer.status).as(answer.what).isIn(200, 400);
          answer.hasNothingOf(other.name, other.secret);
        }
      }
    }
  }

  @Test
  void filterByContents_needsTheRightToThem() {
    api.add("operator", own.prefix, Right.OPERATE);
    api.add("operator", own.prefix, Right.OBSERVE);
    String dry = "{'queue':'" + own.queue + "','dryRun':true,'action':";
    String[] as = {"Authorization", "Bearer operator"};
    for (String rest :
        List.of(
            "'redrive','filter':{'failure':'" + own.secret + "'}}",
            "'delete','filter':{'failure':'x'}}",
            "'cancel','filter':{'headers':{'" + own.secret + "':'" + own.secret + "'}}}")) {
      api.post("/v1/tasks", dry + rest, as).isProblem(403, "forbidden", "PAYLOADS");
    }
    api.get("/v1/queues/" + own.queue + "/dead?failure=x", as).is(403);
    api.post("/v1/tasks", dry + "'redrive','filter':{'prefix':'x'}}", as).is(202);
    api.add("operator", own.prefix, Right.PAYLOADS);
    api.post("/v1/tasks", dry + "'delete','filter':{'failure':'x'}}", as).is(202);
    assertThat(api.get("/v1/tasks/" + own.task, as).text()).contains(own.secret);
  }

  @Test
  void queuesOfTheServer_areRefusedToAll() {
    for (Route route : api.api.routes()) {
      for (String queue : List.of("tasks", "task-records", "audit", "tokens", "x")) {
        Received answer = send(route, new Absent("punctual.server." + queue), "", "");
        if (rule(route).refusal == 403) {
          assertThat(answer.status).as(answer.what).isIn(400, 403);
        }
        if (route.method().equals("GET")) {
          answer.hasNothingOf("punctual.server.");
        }
      }
    }
  }

  private String caller(Right right, String prefix) {
    String caller = right + "-" + prefix;
    api.add(caller, prefix, right);
    return caller;
  }

  /** The names in a request. */
  private record Absent(String queue, String name, String task, String worker) {
    Absent(Tenant like) {
      this(like.prefix + "absent", "absent", "0" + like.task.substring(1), "absent");
    }

    Absent(String queue) {
      this(queue, "absent", "absent", "absent");
    }

    String in(String text) {
      return text.replace("{queue}", queue)
          .replace("{id}", name)
          .replace("{task}", task)
          .replace("{token}", name)
          .replace("{webhook}", name)
          .replace("{worker}", worker);
    }
  }

  /** An answer with all its bytes. */
  private record Received(String what, int status, Map<String, String> headers, String body) {
    void hasNothingOf(String... marks) {
      for (String mark : marks) {
        assertThat(headers + "\n" + body).as(what).doesNotContain(mark);
      }
    }
  }

  private Received send(Route route, Tenant tenant, String query, String caller) {
    Absent names = new Absent(tenant.queue, tenant.name, tenant.task, tenant.worker);
    return send(route, names, query, caller);
  }

  private Received send(Route route, Absent names, String query, String caller) {
    String target = names.in(route.template() + (query.isEmpty() ? "" : "?" + query));
    byte[] body = names.in(rule(route).body.replace('\'', '"')).getBytes(StandardCharsets.UTF_8);
    List<String> headers = new ArrayList<>();
    if (!caller.isEmpty()) {
      headers.addAll(List.of("Authorization", "Bearer " + caller));
    }
    if (body.length > 0) {
      headers.addAll(List.of("Content-Type", "application/json"));
    }
    TestHead head = TestHead.of(route.method(), target, headers.toArray(String[]::new));
    Call call = api.api.accept(head);
    Answer answer =
        body.length > call.maxBody()
            ? call.tooLarge()
            : ApiDriver.await(call.answer(body, Client.UNWATCHED).toCompletableFuture());
    byte[] content =
        answer.body() instanceof Answer.Bytes bytes
            ? bytes.content()
            : firstOf((Answer.Stream) answer.body());
    answer.written().done(true);
    return new Received(
        route.method() + " " + target + " as " + caller + ": " + text(content),
        answer.status(),
        answer.headers(),
        text(content));
  }

  private static String text(byte[] content) {
    return new String(content, StandardCharsets.UTF_8);
  }

  /** Reads the first event of a stream. */
  private static byte[] firstOf(Answer.Stream stream) {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    stream.start(
        new Sink() {
          @Override
          public CompletionStage<Void> send(byte[] part) {
            first.complete(part);
            return CompletableFuture.failedFuture(new IllegalStateException("Gone"));
          }

          @Override
          public void close() {
            first.complete(new byte[0]);
          }
        });
    return first.orTimeout(30, TimeUnit.SECONDS).join();
  }
}
