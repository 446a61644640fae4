package io.punctual.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sends a whole server what no client sends: each request has a clear answer, and costs little. */
class HostileRequestsTest {
  private static final String MESSAGES = "POST /v1/queues/q/messages HTTP/1.1";
  private static final String JSON = "\nContent-Type: application/json";

  private static final String POST = MESSAGES + "|Host: localhost|Content-Type: application/json|";
  private static final String BODY = "Content-Length: 13||{\"payload\":1}";

  @TempDir private Path folder;

  private static void assertAlive(TestServer server) {
    assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
    assertThat(server.get("/v1/queues").statusCode()).isEqualTo(200);
  }

  private static void assertProblem(RawClient.Reply reply, int status) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.headers()).contains("content-type: application/problem+json");
    assertThat(reply.text()).contains("urn:punctual:problem:");
  }

  @ParameterizedTest
  @CsvSource({
    "'GET http://evil.example/v1/queues HTTP/1.1|Host: localhost||', 400",
    "'GET http://localhost/v1/queues HTTP/1.1|Host: evil.example||', 400",
    "'GET http://localhost:1/nothing HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues HTTP/1.1|Host: user@localhost||', 400",
    "'GET /v1/queues HTTP/1.1|Host: localhost|Content-Length: 2||{}', 413",
    "'GET /v1/queues?limit=1&limit=2 HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues?%00 HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues# HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues/q;x=1 HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues/%2e%2e/x HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues/..%2fq HTTP/1.1|Host: localhost||', 400",
    "'GET \\v1\\queues HTTP/1.1|Host: localhost||', 400",
    "'GET /v1/queues HTTP/1.1|Host: localhost|Accept: text/html||', 406",
    "'OPTIONS * HTTP/1.1|Host: localhost||', 404",
    "'get /v1/queues HTTP/1.1|Host: localhost||', 405",
    "'{post}Content-Type: text/plain|{body}', 400",
    "'GET /v1/queues HTTP/1.1|Host: localhost|Authorization: Bearer a|Authorization: Bearer b||',"
        + " 400",
    "'{post}Content-Encoding: gzip|{body}', 415",
    "'{post}Idempotency-Key: a|Idempotency-Key: b|{body}', 400",
    "'{post}Expect: 100-continue|Content-Length: 100000000||', 413"
  })
  void aStrangeRequest_isAProblem(String request, int status) throws IOException {
    try (TestServer server = TestServer.start(folder, "");
        RawClient client = RawClient.connect(server.port())) {
      String whole = request.replace("{post}", POST).replace("{body}", BODY);
      assertProblem(client.send(whole.replace("|", "\r\n")).reply(), status);
      assertAlive(server);
    }
  }

  @Test
  void aBodyOfOpenBrackets_isRefused() throws IOException {
    byte[] body = new byte[64 << 20];
    Arrays.fill(body, (byte) '[');
    try (TestServer server = TestServer.start(folder, "limits: {bodyMemory: 200000000}");
        RawClient client = RawClient.connect(server.port())) {
      client.send(
          (MESSAGES + JSON + "\nHost: localhost\nContent-Length: " + body.length + "\n\n")
              .replace("\n", "\r\n"));
      assertProblem(client.send(body).reply(), 400);
      assertAlive(server);
    }
  }

  /** How often the reader of JSON looks at its limits is counted where it is tested. */
  @ParameterizedTest
  @CsvSource({"headers, 400, 64 texts", "payload, 413, 1048576 bytes"})
  void aMillionNames_areRefused(String field, int status, String why) throws IOException {
    StringBuilder names = new StringBuilder("{\"" + field + "\":{\"0\":\"\"");
    for (int i = 1; i < 1_000_000; i++) {
      names.append(",\"").append(i).append("\":\"\"");
    }
    try (TestServer server = TestServer.start(folder, "limits: {bodyMemory: 200000000}");
        RawClient client = RawClient.connect(server.port())) {
      RawClient.Reply reply = client.request(MESSAGES + JSON, names.append("}}").toString());
      assertProblem(reply, status);
      assertThat(reply.text()).contains(why);
      assertAlive(server);
    }
  }

  @Test
  void headersOfAMegabyte_areRefused() throws IOException {
    try (TestServer server = TestServer.start(folder, "");
        RawClient client = RawClient.connect(server.port())) {
      String head = "GET /v1/queues HTTP/1.1\r\nHost: localhost\r\nX: ";
      try {
        client.send(head + "x".repeat(1 << 20) + "\r\n\r\n");
      } catch (IOException e) {
        // The server has answered, and reads no more.
      }
      assertThat(client.isEnded()).isTrue();
      assertAlive(server);
    }
  }

  @Test
  void lineBreaksInTheHeadersOfAMessage_stayData() throws IOException {
    try (TestServer server = TestServer.start(folder, "");
        RawClient client = RawClient.connect(server.port())) {
      String header = "\"a\\r\\nSet-Cookie: b\":\"c\\r\\nSet-Cookie: d=1\\r\\n\\r\\n<html>\"";
      String body = "{\"id\":\"m\",\"payload\":1,\"delay\":\"1h\",\"headers\":{" + header + "}}";
      RawClient.Reply stored = client.request(MESSAGES + JSON, body);
      assertThat(stored.status()).isIn(201, 400);
      RawClient.Reply found = client.request("GET /v1/queues/q/messages/m HTTP/1.1", "");
      assertThat(found.headers()).noneMatch(line -> line.startsWith("set-cookie"));
      assertThat(stored.status() == 400 || found.text().contains("\\r\\nSet-Cookie: d=1")).isTrue();
    }
  }

  @Test
  void aBodyThatLooksLikeARequest_isNotServed() throws IOException {
    try (TestServer server = TestServer.start(folder, "");
        RawClient client = RawClient.connect(server.port())) {
      String inner =
          "DELETE /v1/queues/q?withMessages=true&confirm=q HTTP/1.1\r\nHost: localhost\r\n\r\n";
      String keep = "{\"payload\":1,\"delay\":\"1h\"}";
      assertThat(client.request(MESSAGES + JSON, keep).status()).isEqualTo(201);
      assertProblem(client.request(MESSAGES + JSON, inner), 400);
      assertThat(client.request("GET /v1/queues/q HTTP/1.1", "").text())
          .contains("\"scheduled\":1");
    }
  }

  @Test
  void anInvalidLineOfMany_isToldByItsNumber_andTheOthersAreStored() throws IOException {
    try (TestServer server = TestServer.start(folder, "");
        RawClient client = RawClient.connect(server.port())) {
      String line = "{\"payload\":1,\"delay\":\"1h\"}\n";
      byte[] bad = {'{', (byte) 0xff, '}', '\n'};
      byte[] body = (line.repeat(3) + "{\"payload\":[\n" + line).getBytes(UTF_8);
      client.send(
          (MESSAGES
                  + "\nContent-Type: application/x-ndjson\nHost: localhost\nContent-Length: "
                  + (body.length + bad.length)
                  + "\n\n")
              .replace("\n", "\r\n"));
      RawClient.Reply reply = client.send(body).send(bad).reply();
      assertThat(reply.status()).isEqualTo(200);
      String[] results = reply.text().split("\n");
      assertThat(results).hasSize(6);
      assertThat(results[3]).contains("\"line\":4", "problem").doesNotContain("Source");
      assertThat(results[5]).contains("problem");
      assertThat(client.request("GET /v1/queues/q HTTP/1.1", "").text())
          .contains("\"scheduled\":4");
    }
  }
}
