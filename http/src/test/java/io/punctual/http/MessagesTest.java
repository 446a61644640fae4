package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Right;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class MessagesTest {
  private final ApiDriver api = ApiDriver.memory();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void message_isStoredKeptReplacedAndRejected() {
    String path = "/v1/queues/mail/messages/mail-1";
    api.json("PUT", path, "{'payload': {'to': 'ada'}, 'delay': '1h'}").is(201);
    assertThat(api.json("PUT", path, "{'payload': 1}").is(200).at("/outcome").asString())
        .isEqualTo("KEPT");
    api.json("PUT", path, "{'payload': 1, 'delay': '2h', 'ifPresent': 'replace'}").is(200);
    api.json("PUT", path, "{'payload': 1, 'ifPresent': 'reject'}")
        .isProblem(409, "exists", "ifPresent")
        .at("/id");
    ApiDriver.Response found = api.get(path).is(200);
    assertThat(found.at("/state").asString()).isEqualTo("SCHEDULED");
    assertThat(found.at("/payload").asInt()).isEqualTo(1);
  }

  @Test
  void payload_isKeptByteForByte() {
    String json = "{\"b\" : 1.00, \"a\":[1e400, 123456789012345678901234567890]}";
    api.post("/v1/queues/q/messages", "{'id': 'x', 'payload': " + json + " }").is(201);
    assertThat(api.get("/v1/queues/q/messages/x/payload").text()).isEqualTo(json);
    api.post("/v1/queues/q/messages", "{'id':'n','payload':12}").is(201);
    assertThat(api.get("/v1/queues/q/messages/n/payload").text()).isEqualTo("12");
    api.post("/v1/queues/q/messages", "{'payload':'ä€ x' , 'id':'s'}").is(201);
    assertThat(api.get("/v1/queues/q/messages/s/payload").text()).isEqualTo("\"ä€ x\"");
    api.post("/v1/queues/q/messages", "{'payload':null,'id':'null'}").is(201);
    assertThat(api.get("/v1/queues/q/messages/null/payload").text()).isEqualTo("null");
    api.post("/v1/queues/q/messages", "{'payload':'plain','payloadText':true,'id':'t'}").is(201);
    assertThat(api.get("/v1/queues/q/messages/t/payload").text()).isEqualTo("plain");
    api.post("/v1/queues/q/messages", "{'payloadBase64':'/wA=','id':'b'}").is(201);
    assertThat(api.get("/v1/queues/q/messages/b/payload").body()).containsExactly(0xff, 0);
    assertThat(api.get("/v1/queues/q/messages/b").at("/payloadBase64").asString())
        .isEqualTo("/wA=");
  }

  @Test
  void ids_withSlashPercentAndSemicolon_areOneSegment() {
    for (String id : new String[] {"a%2Fb", "100%25", "a;b=c", "%C3%A4", "a%20b", "x:run"}) {
      api.json("PUT", "/v1/queues/q/messages/" + id, "{'payload':1,'delay':'1h'}").is(201);
      api.get("/v1/queues/q/messages/" + id).is(200);
      api.delete("/v1/queues/q/messages/" + id).is(200);
    }
    api.json("PUT", "/v1/queues/q/message?id=..", "{'payload':1,'delay':'1h'}").is(201);
    assertThat(api.get("/v1/queues/q/message?id=%2e%2e").at("/id").asString()).isEqualTo("..");
  }

  @Test
  void rawBody_hasItsPartsInHeaders() {
    byte[] body = "no json".getBytes(StandardCharsets.UTF_8);
    String path = "/v1/queues/q/messages/raw";
    api.send(
            TestHead.of(
                "PUT",
                path,
                "Content-Type",
                "application/octet-stream",
                "Punctual-Delay",
                "1h",
                "punctual-headers",
                "{\"tenant\":\"a\"}"),
            body)
        .is(201);
    ApiDriver.Response found = api.get(path);
    assertThat(found.at("/payload").asString()).isEqualTo("no json");
    assertThat(found.at("/headers/tenant").asString()).isEqualTo("a");
    api.send(
            TestHead.of(
                "PUT", path, "Content-Type", "application/octet-stream", "Punctual-Dealy", "1h"),
            body)
        .isProblem(400, "invalid", "punctual-delay");
  }

  @Test
  void brokenLine_isNamedByItsNumber_andTheOthersAreStored() {
    String lines =
        """
        {"id":"1","payload":1,"delay":"1h"}
        {"id":"2","payload":

        {"id":"3","payload":3,"delay":"1h","extra":1}
        {"id":"4","payload":4,"delay":"1h"}
        """;
    ApiDriver.Response response =
        api.send(
                TestHead.of(
                    "POST", "/v1/queues/q/messages", "Content-Type", "application/x-ndjson"),
                lines.getBytes(StandardCharsets.UTF_8))
            .is(200);
    String[] results = response.text().split("\n", -1);
    assertThat(results[0]).contains("\"line\":1", "STORED");
    assertThat(results[1]).contains("\"line\":2", "\"status\":400", "not-done");
    assertThat(results[2]).contains("\"line\":4", "\"status\":400", "extra");
    assertThat(results[3]).contains("\"line\":5", "STORED");
    assertThat(api.get("/v1/queues/q/messages/4/payload").text()).isEqualTo("4");
  }

  @Test
  void list_isReadAsAWhole() {
    api.post("/v1/queues/q/messages", "[{'id':'1','payload':1},{'id':'2','paylod':1}]")
        .isProblem(400, "invalid", "payload");
    api.get("/v1/queues/q/messages/1").isProblem(404, "not-found", "");
    ApiDriver.Response stored =
        api.post(
                "/v1/queues/q/messages",
                "[{'id':'1','payload':1,'delay':'1h'},"
                    + "{'id':'1','payload':1,'ifPresent':'reject'}]")
            .is(200);
    assertThat(stored.at("/results/0/status").asInt()).isEqualTo(201);
    assertThat(stored.at("/results/1/status").asInt()).isEqualTo(409);
  }

  @Test
  void idempotencyKey_isTheId_andIsRememberedAfterTheEnd() {
    String[] key = {"Idempotency-Key", "order-1"};
    api.post("/v1/queues/q/messages", "{'payload':1}", key).is(201);
    ApiDriver.Response claimed = api.post("/v1/queues/q/claims", "{'wait':'30s'}");
    String token = claimed.at("/deliveries/0/token").asString();
    api.post(
            "/v1/queues/q/settlements", "[{'id':'order-1','token':'" + token + "','action':'ack'}]")
        .is(200);
    ApiDriver.Response again = api.post("/v1/queues/q/messages", "{'payload':1}", key).is(200);
    assertThat(again.at("/outcome").asString()).isEqualTo("KEPT");
    assertThat(again.at("/previous").asString()).isEqualTo("FINISHED");
  }

  @Test
  void message_isRescheduledRunAndCancelled() {
    String path = "/v1/queues/q/messages/1";
    api.json("PUT", path, "{'payload':1,'delay':'1h'}").is(201);
    api.json("PATCH", path, "{'dueAt':'2100-01-01T00:00:00+01:00'}").is(200);
    assertThat(api.get(path).at("/dueAt").asString()).isEqualTo("2099-12-31T23:00:00.000Z");
    api.send(TestHead.of("POST", path + "/run"), new byte[0]).is(200);
    api.post("/v1/queues/q/claims", "{'wait':'5s'}").is(200);
    api.json("PATCH", path, "{'delay':'1h'}").isProblem(409, "conflict", "consumer");
    assertThat(api.delete(path).is(202).at("/outcome").asString()).isEqualTo("RUNNING");
    api.delete("/v1/queues/q/messages/none").isProblem(404, "not-found", "no message");
  }

  @Test
  void listing_hasNoPayloads_unlessTheCallerMaySeeThem() {
    api.post("/v1/queues/q/messages", "{'id':'1','payload':'secret','delay':'1h'}").is(201);
    ApiDriver.Response page = api.get("/v1/queues/q/messages?state=scheduled");
    assertThat(page.text()).contains("\"id\":\"1\"").doesNotContain("secret");
    assertThat(api.get("/v1/queues/q/messages?state=scheduled&fields=payload").text())
        .contains("secret");
    api.add("observer", "", Right.OBSERVE);
    String[] as = {"Authorization", "Bearer observer"};
    api.get("/v1/queues/q/messages?state=scheduled&fields=payload", as)
        .isProblem(403, "forbidden", "payloads");
    assertThat(api.get("/v1/queues/q/messages/1", as).is(200).text()).doesNotContain("secret");
    api.get("/v1/queues/q/messages/1/payload", as).is(403);
  }
}
