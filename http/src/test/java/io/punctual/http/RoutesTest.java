package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Right;
import io.punctual.http.route.Route;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

final class RoutesTest {
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

  private final ApiDriver api = ApiDriver.memory();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void description_andTable_areTheSame() {
    TreeSet<String> described = new TreeSet<>();
    for (String path : Contract.DOCUMENT.get("paths").propertyNames()) {
      JsonNode item = Contract.DOCUMENT.get("paths").get(path);
      for (String method : item.propertyNames()) {
        assertThat(METHODS).contains(method);
        described.add(describe(method, path, item.get(method)));
      }
    }
    TreeSet<String> table = new TreeSet<>();
    for (Route route : api.api.routes()) {
      table.add(
          route.method().toLowerCase(Locale.ROOT)
              + " "
              + route.template()
              + " query="
              + new TreeSet<>(route.query())
              + " body="
              + new TreeSet<>(route.consumes()));
    }
    assertThat(described).isEqualTo(table);
  }

  private static String describe(String method, String path, JsonNode operation) {
    TreeSet<String> query = new TreeSet<>();
    for (JsonNode parameter : operation.path("parameters")) {
      if (parameter.get("in").asString().equals("query")) {
        query.add(parameter.get("name").asString());
      }
    }
    TreeSet<String> body = new TreeSet<>(operation.at("/requestBody/content").propertyNames());
    return method + " " + path + " query=" + query + " body=" + body;
  }

  @Test
  void everyList_hasNext_ifItTakesACursor() {
    List<String> paged = new ArrayList<>();
    for (String path : Contract.DOCUMENT.get("paths").propertyNames()) {
      JsonNode operation = Contract.DOCUMENT.get("paths").get(path).path("get");
      JsonNode schema = operation.at("/responses/200/content/application~1json/schema");
      if (schema.has("$ref")) {
        schema = Contract.DOCUMENT.at("/components/schemas" + last(schema));
      }
      JsonNode fields = schema.path("properties");
      boolean hasCursor = false;
      for (JsonNode parameter : operation.path("parameters")) {
        hasCursor |= parameter.get("name").asString().equals("cursor");
      }
      boolean hasList = false;
      for (JsonNode field : fields) {
        hasList |= field.path("type").asString("").equals("array");
      }
      assertThat(fields.has("cursor")).as(path).isFalse();
      assertThat(fields.has("next") && hasList).as(path).isEqualTo(hasCursor);
      if (hasCursor) {
        paged.add(path);
      }
    }
    assertThat(paged).hasSizeGreaterThan(6);
  }

  private static String last(JsonNode schema) {
    String reference = schema.get("$ref").asString();
    return reference.substring(reference.lastIndexOf('/'));
  }

  @Test
  void everyRoute_thatTellsOfQueues_needsARight() {
    List<String> open = new ArrayList<>();
    for (Route route : api.api.routes()) {
      if (route.rights().isEmpty()) {
        open.add(route.template());
      }
    }
    assertThat(open).containsExactlyInAnyOrder("/openapi.json", "/v1/caller");
  }

  @Test
  void everyRoute_thatChangesSomething_isAudited_butForTheFlowOfMessages() {
    List<String> exceptions = new ArrayList<>();
    for (Route route : api.api.routes()) {
      if (route.isChange() && !route.isAudited()) {
        assertThat(route.unaudited()).isNotBlank();
        exceptions.add(route.method() + " " + route.template());
      }
    }
    assertThat(exceptions)
        .containsExactlyInAnyOrder(
            "POST /v1/queues/{queue}/messages",
            "PUT /v1/queues/{queue}/messages/{id}",
            "PUT /v1/queues/{queue}/message",
            "POST /v1/queues/{queue}/claims",
            "POST /v1/queues/{queue}/settlements");
  }

  @Test
  void callerWithoutTheRight_isRefusedOnEveryRoute() {
    api.add("nobody", "none.", Right.STORE);
    for (Route route : api.api.routes()) {
      if (!route.rights().isEmpty()) {
        String path = route.template().replaceAll("\\{[a-z]+}", "x");
        api.send(TestHead.of(route.method(), path, "Authorization", "Bearer nobody"), new byte[0])
            .isProblem(403, "forbidden", "right");
        api.send(TestHead.of(route.method(), path, "Authorization", "Bearer ?"), new byte[0])
            .isProblem(401, "unauthenticated", "token");
      }
    }
  }

  @Test
  void queuesOfTheServer_areRefused() {
    api.get("/v1/queues/punctual.server.tasks").isProblem(403, "forbidden", "");
    api.post("/v1/queues/punctual.server.audit/messages", "{'payload':1}").is(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/v1",
        "/v1/",
        "/v1/queues/",
        "/v1/queues//messages",
        "/v1/queues/q/",
        "/v1/queues/q/messages/",
        "/v1//queues",
        "//v1/queues",
        "/V1/queues",
        "/v1/queues/q/messages/1/unknown",
        "/openapi.json/",
        "*"
      })
  void otherPaths_areNotFound(String path) {
    api.get(path).isProblem(404, "not-found", "openapi.json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/queues/q/messages/%00",
        "/v1/queues/q/messages/a%0d%0ab",
        "/v1/queues/q/messages/%7f",
        "/v1/queues/q/messages/%",
        "/v1/queues/q/messages/%2",
        "/v1/queues/q/messages/%zz",
        "/v1/queues/q/messages/%c0%af",
        "/v1/queues/q/messages/%ed%a0%80",
        "/v1/queues/q/messages/%f5%80%80%80",
        "/v1/queues/q/messages/%2e%2e",
        "/v1/queues/./messages",
        "/v1/queues/q/messages/ä",
        "/v1/queues/q/messages?state=ready&state=dead",
        "/v1/queues/q/messages?stat=ready",
        "/v1/queues/q/messages?state=%ff",
        "/v1/queues/q/messages?state=ready&limit=0",
        "/v1/queues/q/messages?state=ready&limit=1001",
        "/v1/queues/q/messages?state=ready&from=yesterday",
        "/v1/queues/q/messages?state=ready&cursor=%21",
        "/v1/queues/q%20r",
        "/v1/queues/a%2Fb"
      })
  void badPathsAndQueries_areInvalid(String target) {
    api.post("/v1/queues/q/messages", "{'payload':1}");
    api.get(target).isProblem(400, "invalid", "");
  }

  @Test
  void wrongMethod_isToldWithTheAllowedOnes() {
    for (String method : List.of("POST", "TRACE", "OPTIONS", "HEAD", "get", "BREW")) {
      ApiDriver.Response refused =
          api.send(TestHead.of(method, "/v1/queues/q"), new byte[0])
              .isProblem(405, "method-not-allowed", "DELETE, GET");
      assertThat(refused.headers()).containsEntry("Allow", "DELETE, GET");
    }
  }

  @Test
  void otherTypes_areRefused() {
    byte[] json = "{\"payload\":1}".getBytes(StandardCharsets.UTF_8);
    String path = "/v1/queues/q/messages";
    for (String type :
        List.of("text/plain", "application/x-www-form-urlencoded", "application/json;charset=x")) {
      api.send(TestHead.of("POST", path, "Content-Type", type), json)
          .isProblem(415, "unsupported-media-type", "application/json");
    }
    api.send(TestHead.of("POST", path), json).is(415);
    api.send(
            TestHead.of(
                "POST", path, "Content-Type", "application/json", "Content-Encoding", "gzip"),
            json)
        .isProblem(415, "unsupported-media-type", "Content-Encoding");
    api.send(TestHead.of("POST", path, "Content-Type", "Application/JSON; charset=\"UTF-8\""), json)
        .is(201);
    api.get("/v1/queues", "Accept", "text/html, */*;q=0").isProblem(406, "not-acceptable", "json");
    api.get("/v1/queues", "Accept", "text/html, */*;q=0.1").is(200);
  }

  @Test
  void largeBody_isRefusedBeforeItIsRead() {
    assertThat(api.api.accept(TestHead.of("DELETE", "/v1/queues/q")).maxBody()).isZero();
    byte[] body = new byte[3 << 20];
    api.send(
            TestHead.of("PUT", "/v1/queues/q/messages/1", "Content-Type", "application/json"), body)
        .isProblem(413, "too-large", "bytes");
    byte[] payload = new byte[(1 << 20) + 1];
    api.send(
            TestHead.of(
                "PUT", "/v1/queues/q/messages/1", "Content-Type", "application/octet-stream"),
            payload)
        .isProblem(413, "too-large", "1048576");
  }

  @Test
  void readOnlyServer_changesNothing() {
    try (ApiDriver readOnly = new ApiDriver("memory:", builder -> builder.readOnly(true))) {
      for (Route route : readOnly.api.routes()) {
        if (!route.method().equals("GET")) {
          String path = route.template().replaceAll("\\{[a-z]+}", "x");
          readOnly
              .send(TestHead.of(route.method(), path), new byte[0])
              .isProblem(403, "forbidden", "read-only");
        }
      }
      readOnly.get("/v1/queues").is(200);
    }
  }

  @Test
  void lists_haveOnlyTheCallersQueues() {
    for (String queue : List.of("a.one", "a.two", "b.one", "c")) {
      api.post("/v1/queues/" + queue + "/messages", "{'payload':1}").is(201);
    }
    api.add("some", "a.", Right.OBSERVE);
    api.add("some", "c", Right.OBSERVE);
    String[] as = {"Authorization", "Bearer some"};
    assertThat(api.get("/v1/queues", as).json().findValuesAsString("queue"))
        .containsExactly("a.one", "a.two", "c");
    JsonNode first = api.get("/v1/queues?limit=2", as).json();
    assertThat(first.findValuesAsString("queue")).containsExactly("a.one", "a.two");
    String next = first.get("next").asString();
    assertThat(api.get("/v1/queues?limit=2&cursor=" + next, as).json().findValuesAsString("queue"))
        .containsExactly("c");
    assertThat(api.get("/v1/queues?prefix=b", as).json().findValuesAsString("queue")).isEmpty();
    api.get("/v1/queues/b.one", as).is(403);
    api.get("/v1/queues/b.none", as).is(403);
  }
}
