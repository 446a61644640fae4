package io.punctual.server.clients;

import static io.punctual.server.clients.Drivers.command;
import static io.punctual.server.clients.Drivers.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.FreePorts;
import io.punctual.server.PunctualServer;
import io.punctual.server.TestServer;
import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Clients whose server ends, is away, refuses, or is no server of Punctual. */
class ClientFaultsTest {
  private static final Drivers DRIVERS = new Drivers();

  @TempDir private Path folder;

  @AfterAll
  static void end() {
    DRIVERS.close();
  }

  private static String schedule(String id, String payload) {
    return "'payload':%s,'options':{'id':'%s'}".formatted(payload, id);
  }

  private JavaProcess serve(int port) {
    return JavaProcess.of("io.punctual.server.ServerMain")
        .small()
        .arguments("journal:" + folder.resolve("data"), Integer.toString(port))
        .ready("ready")
        .start();
  }

  /** All languages at once, because the server starts slowly. */
  @Test
  void aServerThatIsKilledAndComesBack_losesNothing() throws Exception {
    String server = "http://127.0.0.1:" + FreePorts.next();
    int port = URI.create(server).getPort();
    List<Language> languages = Stream.of(Language.values()).filter(Language::isPresent).toList();
    Map<Language, Integer> during = new EnumMap<>(Language.class);
    try (JavaProcess first = serve(port)) {
      for (Language each : languages) {
        Driver client = DRIVERS.of(each);
        client.call(command(server, each.name(), "work", work(2, "1h", "0s")));
        String hang = schedule("held", "{'do':'hang'}");
        client.call(command(server, each.name(), "schedule", hang));
        client.event("begin", "held", 1);
      }
      first.kill();
    }
    for (Language each : languages) {
      Driver client = DRIVERS.of(each);
      String later = schedule("during", "null");
      during.put(each, client.send(command(server, each.name(), "schedule", later)));
      client.send("'do':'go','id':'held'");
      client.event("end", "held", 0);
    }
    try (JavaProcess second = serve(port)) {
      for (Language each : languages) {
        Driver client = DRIVERS.of(each);
        assertThat(
                client.answer(Objects.requireNonNull(during.get(each))).path("result").asString())
            .as(client.log())
            .isEqualTo("STORED");
        client.event("begin", "during", 1);
        URI held = URI.create(server + "/v1/queues/" + each + "/messages/held");
        await().until(() -> status(held) == 404);
        client.call(command(server, each.name(), "close", ""));
      }
      second.expectAlive();
    }
  }

  private static int status(URI address) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  private static PunctualServer serveHere(int port) throws IOException {
    return PunctualServer.start(
        new ServerConfig.Options(null, "memory:", null, null, port), Map.of());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aServerThatEndsInOrder_isNoReasonForAWorkerToEnd(Language language) throws IOException {
    Driver client = DRIVERS.of(language);
    int port = FreePorts.next();
    String server = "http://127.0.0.1:" + port;
    try (PunctualServer first = serveHere(port)) {
      client.call(command(server, "orderly", "work", work(1, "30s", "0s")));
      client.call(command(server, "orderly", "schedule", schedule("first", "null")));
      client.event("begin", "first", 1);
      first.close();
    }
    try (PunctualServer second = serveHere(port)) {
      client.call(command(second.address(), "orderly", "schedule", schedule("second", "null")));
      client.event("begin", "second", 1);
      client.call(command(server, "orderly", "close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @Tag("extended")
  void aPollAboveTheLimit_waitsAndComesAgain(Language language) {
    Driver client = DRIVERS.of(language);
    try (TestServer server = TestServer.start(folder, "limits:\n  pollsPerCaller: 1\n")) {
      URI address = server.server().address();
      client.call(command(address, "one", "work", work(1, "30s", "0s")));
      client.call(command(address, "one", "schedule", schedule("polled", "null")));
      client.event("begin", "polled", 1);
      await().until(() -> server.get("/metrics").body().contains("punctual_http_requests 2.0"));
      client.call(command(address, "two", "work", work(1, "30s", "0s")));
      client.call(command(address, "two", "schedule", schedule("limited", "null")));
      await().until(() -> client.log().contains("1 polls in flight"));
      assertThat(client.begun("limited")).isZero();

      client.call(command(address, "one", "close", ""));

      client.event("begin", "limited", 1);
      client.call(command(address, "two", "close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void theSameRequest_isSentAgain(Language language) throws IOException {
    Driver client = DRIVERS.of(language);
    try (StrangeServer server =
        new StrangeServer(
            "429 1 {'detail':'too many','type':'t'}",
            "503 Sat,01Jan2050 <html>",
            "408 -7 {'detail':'slow','type':'t'}",
            "0 - nothing",
            "201 - {'id':'kept','outcome':'STORED'}")) {
      String payload = "'payload':{'to':'ada'},'options':{}";
      long begin = System.nanoTime();
      assertThat(client.call(command(server.address(), "q", "schedule", payload)))
          .isEqualTo("STORED");
      // 1 s as the server says, and then 200 and 400 ms; the end of an idle connection needs no
      // pause.
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isGreaterThan(Duration.ofMillis(1500));
      assertThat(server.requests()).hasSize(5);
      assertThat(server.requests().stream().distinct()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aChangeThatIsDoneButNotConfirmed_isNotSentAgain(Language language) throws IOException {
    Driver client = DRIVERS.of(language);
    String done = "504 - {'detail':'not confirmed','type':'t','outcome':'done'}";
    try (StrangeServer server = new StrangeServer(done, done)) {
      String once = "'payload':1,'options':{}";
      assertThat(client.call(command(server.address(), "q", "schedule", once))).isEqualTo("STORED");
      int cancel = client.send(command(server.address(), "q", "cancel", "'id':'x'"));
      assertThat(client.answer(cancel).path("error").asString()).contains("not confirmed");
      assertThat(server.requests()).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @Tag("extended")
  void aCloseBetweenTwoAttempts_sendsNoFurtherPoll(Language language) throws IOException {
    Driver client = DRIVERS.of(language);
    try (StrangeServer server = new StrangeServer("429 3600 {'detail':'busy','type':'t'}")) {
      client.call(command(server.address(), "paused", "work", work(1, "30s", "0s")));
      await().until(() -> client.log().contains("busy"));

      client.call(command(server.address(), "paused", "close", ""));

      assertThat(server.requests()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void anAnswerOfSomethingElse_isAnError(Language language) throws IOException {
    Driver client = DRIVERS.of(language);
    try (StrangeServer server =
        new StrangeServer(
            "200 - <html>signin",
            "302 - moved",
            "404 - <html>none",
            "404 - <html>none",
            "200 - [1]")) {
      List<Integer> requests = new ArrayList<>();
      for (String each : List.of("schedule", "schedule", "cancel", "find", "runNow")) {
        String rest = each.equals("schedule") ? schedule("x", "1") : "'id':'x'";
        int request = client.send(command(server.address(), "q", each, rest));
        assertThat(client.answer(request).path("error").asString(""))
            .as(each)
            .contains("not as a Punctual server does");
        requests.add(request);
      }
      assertThat(server.requests()).hasSameSizeAs(requests);
    }
    int dots = client.send(command("http://127.0.0.1:9", "..", "cancel", "'id':'x'"));
    assertThat(client.answer(dots).path("error").asString()).contains("is no name of a queue");
  }
}
