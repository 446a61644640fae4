package io.punctual.server.clients;

import static io.punctual.server.clients.Drivers.command;
import static io.punctual.server.clients.Drivers.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.http.access.AccessToken;
import io.punctual.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Networks, clocks, handlers and tokens that go wrong, for the clients of other languages. */
class ClientHazardsTest extends ClientHarness {
  private static final Path FAKETIME =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void anAnswerThatIsLost_letsNothingHappenTwice(Language language) throws IOException {
    Driver client = drivers.of(language);
    try (Relay relay = new Relay(server.server().address())) {
      relay.loseAnswer("'id':'kept'".replace('\'', '"'));
      client.call(command(relay.address(), queue, "schedule", draft("kept", "{'do':'hang'}")));
      assertThat(relay.lost()).isEqualTo(1);
      client.call(command(relay.address(), queue, "work", work(2, "1h", "0s")));
      client.event("begin", "kept", 1);

      relay.loseAnswer("\"ack\"");
      client.send("'do':'go','id':'kept'");

      soon().until(() -> relay.lost() == 2);
      awaitGone("kept");
      client.call(command(relay.address(), queue, "schedule", draft("next", "null")));
      client.event("begin", "next", 1);
      awaitGone("next");
      assertThat(client.begun("kept")).as(client.log()).isEqualTo(2);
      client.call(command(relay.address(), queue, "close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void aRequestThatIsOneTooMany_isSentAgain(Language language) throws IOException {
    Driver client = drivers.of(language);
    try (Relay relay = new Relay(server.server().address())) {
      client.call(command(relay.address(), queue, "work", work(1, "30s", "0s")));
      relay.refuse("limited");

      client.call(command(relay.address(), queue, "schedule", draft("limited", "null")));

      assertThat(relay.hasRefused()).isTrue();
      client.event("begin", "limited", 1);
      relay.refuse("/v1/");
      client.call(here("schedule", draft("next", "null")));
      client.event("begin", "next", 1);
      soon().until(relay::hasRefused);
      awaitGone("next");
      client.call(command(relay.address(), queue, "close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aSettlementThatTheStoreCanNotDoNow_isSentAgain(Language language) throws IOException {
    Driver client = drivers.of(language);
    try (Relay relay = new Relay(server.server().address())) {
      client.call(command(relay.address(), queue, "work", work(1, "1h", "0s")));
      String results = "[{'id':'settled','status':503}]";
      relay.answer(
          "\"ack\"",
          200,
          "{'results':%s,'settled':%s,'deliveries':[],'command':'RUN'}"
              .formatted(results, results));

      client.call(command(relay.address(), queue, "schedule", draft("settled", "null")));

      client.event("begin", "settled", 1);
      awaitGone("settled");
      assertThat(relay.hasRefused()).isTrue();
      client.call(command(relay.address(), queue, "close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PYTHON", "JAVASCRIPT"})
  void numbersAsIds_andTokensThatNoHeaderCanHave(Language language) {
    Driver client = drivers.of(language);
    String later = "'payload':1,'options':{'id':42,'delay':'1h'}";
    assertThat(client.call(here("schedule", later))).isEqualTo("STORED");
    assertThat(client.call(here("cancel", "'id':42"))).isEqualTo("CANCELLED");

    int request = client.send(here("schedule", "'token':'a\\u0001b'," + later));
    assertThat(client.answer(request).path("error").asString("").toLowerCase(Locale.ROOT))
        .containsPattern("header");
  }

  /** Failures name the address, so a token in it would be in logs. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aTokenInTheAddress_isRefused(Language language) {
    Driver client = drivers.of(language);
    String schedule = "'patience':'1s','timeout':'1s'," + draft("secret", "null");

    int request =
        client.send(command("http://token:pnc_secret@127.0.0.1:1", queue, "schedule", schedule));

    assertThat(client.answer(request).path("error").asString(""))
        .contains("pass the token apart")
        .doesNotContain("pnc_secret");
  }

  /** With a short lease, each renewal once tried for itself. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aServerThatIsAway_isTriedByOneRenewalAtATime(Language language, @TempDir Path own) {
    language.assume();
    try (Driver client = new Driver(language)) {
      try (TestServer away = TestServer.start(own, "")) {
        Object address = away.server().address();
        client.call(command(address, queue, "work", work(2, "100ms", "0s")));
        client.call(command(address, queue, "schedule", draft("held", "{'do':'hang'}")));
        client.event("begin", "held", 1);
      }
      Pattern retry = Pattern.compile("again in \\d");
      soon().until(() -> client.log().matches("(?s).*again in 1\\.?6.*"));
      assertThat(retry.matcher(client.log()).results().count()).isLessThan(20);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aRevokedToken_endsTheWorkerWithTheReason(Language language, @TempDir Path own) {
    Driver client = drivers.of(language);
    String token = AccessToken.generate("worker");
    String roles = "roles:\n  all: {produce: '*', consume: '*'}\ntokens:\n";
    String line = "  - {id: worker, sha256: %s, role: all}\n";
    try (TestServer guarded =
        TestServer.start(own, roles + line.formatted(AccessToken.sha256(token)))) {
      Object address = guarded.server().address();
      String with = "'token':'%s',".formatted(token);
      client.call(command(address, queue, "work", with + work(2, "1h", "0s")));
      client.call(command(address, queue, "schedule", with + draft("held", "{'do':'hang'}")));
      client.event("begin", "held", 1);

      String other = AccessToken.generate("worker");
      assertThat(guarded.reload(roles + line.formatted(AccessToken.sha256(other)))).isTrue();
      String next = "'token':'%s',".formatted(other) + draft("wakes", "null");
      client.call(command(address, queue, "schedule", next));

      client.send("'do':'go','id':'held'");
      assertThat(client.event("refused", queue, 0).get("error").asString()).contains("token");
      client.call(command(address, queue, "close", with + "'grace':'0s'"));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aServerThatSaysNothing_isAnErrorAfterThePatience(Language language) throws IOException {
    Driver client = drivers.of(language);
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "http://127.0.0.1:" + silent.getLocalPort();
      String impatient = "'timeout':'200ms','patience':'500ms',";
      int request =
          client.send(command(address, queue, "schedule", impatient + draft("x", "null")));
      assertThat(client.answer(request).path("error").asString()).contains("does not answer");
    }
  }

  /** All languages at once, because a poll ends after 30 s. */
  @Test
  @Tag("extended")
  void aPollThatNobodyAnswers_isSentAgain() throws IOException {
    List<Language> languages =
        Stream.of(Language.values()).filter(l -> l != Language.JAVA && l.isPresent()).toList();
    List<AutoCloseable> connections = new ArrayList<>();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      silent.setSoTimeout(120_000);
      String address = "http://127.0.0.1:" + silent.getLocalPort();
      for (Language each : languages) {
        String rest = work(1, "1h", "0s");
        drivers.of(each).call(command(address, queue, "work", rest));
      }
      for (int i = 0; i < 2 * languages.size(); i++) {
        connections.add(silent.accept());
      }
    }
    for (Language each : languages) {
      soon().until(() -> drivers.of(each).log().contains("does not answer"));
      drivers.of(each).call(here("close", ""));
    }
    assertThat(connections).hasSize(2 * languages.size());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void proxiesOfTheEnvironment_areNotUsed(Language language) {
    language.assume();
    Map<String, String> proxies = new HashMap<>();
    for (String name : List.of("http_proxy", "https_proxy", "all_proxy")) {
      proxies.put(name, "http://127.0.0.1:9");
      proxies.put(name.toUpperCase(Locale.ROOT), "http://127.0.0.1:9");
    }
    try (Driver client = new Driver(language, proxies)) {
      assertThat(client.call(here("schedule", draft("direct", "null")))).isEqualTo("STORED");
    }
  }

  /** Programs of Go are linked without libraries, so that their clock can't be changed. */
  @ParameterizedTest
  @EnumSource(names = {"PYTHON", "JAVASCRIPT"})
  void aClockThatIsAnHourAhead_changesNothing(Language language) {
    language.assume();
    assumeTrue(Files.exists(FAKETIME), "Needs faketime; on Debian: apt-get install faketime");
    Map<String, String> ahead =
        Map.of("LD_PRELOAD", FAKETIME.toString(), "FAKETIME", "+1h", "FAKETIME_NO_CACHE", "1");
    try (Driver client = new Driver(language, ahead)) {
      client.call(here("schedule", "'payload':1,'options':{'id':'soon','delay':'30m'}"));
      assertThat(client.call(here("find", "'id':'soon'"))).isEqualTo("SCHEDULED");
      client.call(here("work", work(1, "30s", "0s")));
      client.call(here("runNow", "'id':'soon'"));
      client.event("begin", "soon", 1);
      awaitGone("soon");
      client.call(here("close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aHandlerThatBlocksItsThread_longerThanTheLease_doesNotEndTheWorker(Language language) {
    Driver client = drivers.of(language);
    client.call(here("work", work(2, "300ms", "0s")));
    client.call(here("schedule", draft("blocks", "{'do':'block','millis':900}")));
    client.event("begin", "blocks", 1);

    awaitGone("blocks");
    client.call(here("schedule", draft("next", "null")));

    client.event("begin", "next", 1);
    awaitGone("next");
    client.call(here("close", ""));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void theOddestEndOfAHandler_isAFailure(Language language) {
    Driver client = drivers.of(language);
    client.call(here("work", work(1, "1h", "0s")));
    client.call(here("schedule", draft("odd", "{'do':'odd'}")));
    client.event("begin", "odd", 1);

    soon().until(() -> message("odd").contains("\"failures\""));
    client.call(here("schedule", draft("huge", "{'do':'huge'}")));
    soon().until(() -> message("huge").contains("\"failures\""));
    client.call(here("schedule", draft("next", "null")));

    client.event("begin", "next", 1);
    client.call(here("close", ""));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aConcurrencyThatNoRequestCanHave_isRefused(Language language) {
    Driver client = drivers.of(language);
    for (int concurrency : new int[] {0, -1, 1001}) {
      int request = client.send(here("work", work(concurrency, "1h", "0s")));
      if (language == Language.GO) {
        assertThat(client.event("refused", queue, 0).get("error").asString())
            .contains("concurrency from 1 to 1000");
      } else {
        assertThat(client.answer(request).path("error").asString())
            .contains("concurrency from 1 to 1000");
      }
    }
  }

  @Test
  void workersOfGo_leaveNoGoroutines() {
    Driver client = drivers.of(Language.GO);
    int before = 0;
    for (int round = 0; round < 20; round++) {
      if (round == 5) {
        before = Integer.parseInt(client.call("'do':'goroutines'"));
      }
      String id = "g" + round;
      client.call(here("schedule", draft(id, "null")));
      client.call(here("work", work(4, "1h", "1s")));
      client.event("begin", id, 1);
      client.call(here("close", ""));
    }
    int allowed = before + 8;
    soon().until(() -> Integer.parseInt(client.call("'do':'goroutines'")) <= allowed);
  }
}
