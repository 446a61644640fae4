package io.punctual.server.clients;

import static io.punctual.server.clients.Drivers.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.server.TestServer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import tools.jackson.databind.JsonNode;

/** One scenario for the client of each language, with a real server and the real interpreter. */
class ClientsTest {
  private static final Drivers DRIVERS = new Drivers();
  private static final AtomicInteger QUEUES = new AtomicInteger();

  @TempDir private static Path folder;

  private static TestServer shared;

  private TestServer server = shared;

  private final String queue = "q" + QUEUES.incrementAndGet();

  @BeforeAll
  static void start() {
    shared = TestServer.start(folder, "");
  }

  @AfterAll
  static void stop() {
    DRIVERS.close();
    shared.close();
  }

  private String command(String action, String rest) {
    return Drivers.command(server.server().address(), queue, action, rest);
  }

  private String schedule(Driver driver, String id, String payload, String options) {
    return driver.call(
        command(
            "schedule", "'payload':%s,'options':{'id':'%s'%s}".formatted(payload, id, options)));
  }

  private String message(String id) {
    return server.get("/v1/queues/" + queue + "/message?id=" + id).body();
  }

  private static ConditionFactory soon() {
    return await().pollInterval(Duration.ofMillis(10));
  }

  private void awaitGone(String id) {
    soon().until(() -> server.get("/v1/queues/" + queue + "/message?id=" + id).statusCode() == 404);
  }

  @ParameterizedTest
  @EnumSource
  void aProducer_schedulesChangesAndFinds(Language language) {
    Driver client = DRIVERS.of(language);
    String later = ",'delay':'1h'";
    assertThat(schedule(client, "a", "{'to':'ada'}", later)).isEqualTo("STORED");
    assertThat(schedule(client, "a", "{'to':'bob'}", later)).isEqualTo("KEPT");
    assertThat(schedule(client, "a", "1", later + ",'ifPresent':'reject'")).isEqualTo("REJECTED");
    assertThat(client.call(command("find", "'id':'a'"))).isEqualTo("SCHEDULED");
    assertThat(message("a")).contains("\"payload\":{\"to\":\"ada\"}");
    for (String id : new String[] {".", "..", "x/ä %2F+;?#&=", "\uD83D\uDE00"}) {
      assertThat(schedule(client, id, "null", later)).as(id).isEqualTo("STORED");
      assertThat(client.call(command("find", "'id':'" + id + "'"))).isEqualTo("SCHEDULED");
      assertThat(client.call(command("cancel", "'id':'" + id + "'"))).isEqualTo("CANCELLED");
      assertThat(client.call(command("cancel", "'id':'" + id + "'"))).isEqualTo("NOT_FOUND");
    }
    assertThat(client.call(command("find", "'id':'..'"))).isEqualTo("null");
    String all =
        client.call(
            command(
                "scheduleAll",
                "'messages':[{'id':'b','payload':{},'delay':'1h'},{'id':'a','payload':1}]"));
    assertThat(all).isEqualTo("[\"STORED\",\"KEPT\"]");
    String shift = "'id':'a','options':{'delay':'2h'}";
    assertThat(client.call(command("reschedule", shift))).isEqualTo("RESCHEDULED");
    assertThat(client.call(command("runNow", "'id':'b'"))).isEqualTo("RESCHEDULED");
    assertThat(client.call(command("runNow", "'id':'none'"))).isEqualTo("NOT_FOUND");
    soon().until(() -> message("b").contains("\"state\":\"READY\""));
  }

  @ParameterizedTest
  @EnumSource
  void aWorker_acksFailsDefersBuriesRepeatsAndLearnsOfACancel(Language language) {
    Driver client = DRIVERS.of(language);
    client.call(command("work", work(4, "30s", "1s")));
    schedule(client, "late", "null", ",'delay':'100ms'");
    client.event("begin", "late", 1);
    awaitGone("late");

    client.call(command("schedule", "'bytes':'bytes','options':{'id':'raw'}"));
    assertThat(client.event("begin", "raw", 1).get("payload").asString()).isEqualTo("bytes");

    schedule(client, "fail", "{'do':'fail'}", "");
    for (int attempt = 1; attempt <= 5; attempt++) {
      client.event("begin", "fail", attempt);
      soon().until(() -> !message("fail").contains("\"state\":\"LEASED\""));
      client.call(command("runNow", "'id':'fail'"));
    }
    soon().until(() -> message("fail").contains("\"state\":\"DEAD\""));
    assertThat(server.get("/v1/queues/" + queue + "/dead/groups").body())
        .containsPattern(language.group());
    assertThat(message("fail")).contains("declined");

    schedule(client, "bury", "{'do':'bury'}", "");
    soon().until(() -> message("bury").contains("no such card"));

    schedule(client, "later", "{'do':'later'}", "");
    awaitGone("later");
    soon().until(() -> client.begun("later") == 2);

    schedule(client, "retry", "{'do':'retry'}", "");
    client.event("begin", "retry", 2);
    awaitGone("retry");

    schedule(client, "again", "{'do':'ok'}", ",'every':'100ms'");
    soon().until(() -> client.begun("again") >= 2);
    client.call(command("cancel", "'id':'again'"));
    awaitGone("again");

    schedule(client, "hang", "{'do':'hang'}", "");
    client.event("begin", "hang", 1);
    assertThat(client.call(command("cancel", "'id':'hang'"))).isEqualTo("RUNNING");
    client.send("'do':'go','id':'hang'");
    client.event("end", "hang", 0);
    awaitGone("hang");

    schedule(client, "exit", "{'do':'exit'}", "");
    client.event("begin", "exit", 1);
    soon().until(() -> message("exit").contains("\"failures\""));
    client.call(command("close", ""));
  }

  @ParameterizedTest
  @EnumSource
  void aMessageThatWaitedForAWorker_saysHowLateItIs(Language language) {
    Driver client = DRIVERS.of(language);
    schedule(client, "late", "null", ",'at':'2020-01-31T12:00:00Z'");

    client.call(command("work", work(1, "30s", "0s")));

    assertThat(client.event("begin", "late", 1).get("late").asLong()).isPositive();
    awaitGone("late");
    client.call(command("close", ""));
  }

  @ParameterizedTest
  @EnumSource
  void payloadsAndIds_arriveAsTheyWere(Language language) {
    Driver client = DRIVERS.of(language);
    client.call(command("work", work(4, "30s", "1s")));
    String all =
        IntStream.range(0, 256)
            .mapToObj("\\u%04x"::formatted)
            .collect(Collectors.joining("", "'", "'"));
    for (String bytes : List.of(all, "''")) {
      String id = "bytes-" + bytes.length();
      client.call(command("schedule", "'bytes':%s,'options':{'id':'%s'}".formatted(bytes, id)));
      assertThat(client.event("begin", id, 1).get("payload").asString())
          .hasSize((bytes.length() - 2) / 6);
    }
    List<String> payloads =
        List.of("''", "{'ä\uD83D\uDE00':['\\u0000',1.5]}", "'" + "x".repeat((1 << 20) - 2) + "'");
    for (String payload : payloads) {
      String id = "text-" + payload.length();
      schedule(client, id, payload, "");
      JsonNode arrived = client.event("begin", id, 1).get("payload");
      assertThat(arrived.toString()).startsWith(payload.substring(0, 2).replace('\'', '"'));
    }
    for (String id : List.of(" ", " a b ", "a/b//c", "a%2Fb", "ä".repeat(128), "\uD83D\uDE00?#")) {
      schedule(client, id, "null", "");
      client.event("begin", id, 1);
      soon().until(() -> client.call(command("find", "'id':'" + id + "'")).equals("null"));
    }
    client.call(command("close", ""));
  }

  @ParameterizedTest
  @EnumSource
  void aKilledWorker_losesItsMessagesToAnother(Language language) {
    Driver other = DRIVERS.of(language);
    try (Driver victim = new Driver(language)) {
      victim.call(command("work", work(1, "500ms", "0s")));
      schedule(other, "killed", "{'do':'hang'}", "");
      victim.event("begin", "killed", 1);
      victim.kill();

      other.send("'do':'go','id':'killed'");
      other.call(command("work", work(1, "500ms", "0s")));
      other.event("end", "killed", 0);

      awaitGone("killed");
      other.call(command("close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void aLongHandler_keepsItsLease(Language language) {
    Driver client = DRIVERS.of(language);
    client.call(command("work", work(2, "3s", "0s")));
    schedule(client, "long", "{'do':'hang'}", "");
    client.event("begin", "long", 1);
    schedule(client, "after", "null", ",'delay':'4500ms'");
    client.event("begin", "after", 1);

    client.send("'do':'go','id':'long'");
    awaitGone("long");

    client.call(command("close", ""));
    assertThat(client.begun("long")).as(client.log()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void sigtermInAHandler_letsItEnd_andClaimsNothingMore(Language language, @TempDir Path own) {
    Driver next = DRIVERS.of(language);
    try (TestServer alone = TestServer.start(own, "");
        Driver client = new Driver(language, "wait")) {
      server = alone;
      client.call(command("work", work(2, "1h", "1m")));
      schedule(client, "hang", "{'do':'hang'}", "");
      client.event("begin", "hang", 1);
      client.terminate();
      if (language != Language.JAVA) {
        soon().until(() -> server.get("/metrics").body().contains("punctual_http_requests 1.0"));
      }

      schedule(next, "new", "null", "");
      next.call(command("work", work(1, "1h", "0s")));
      next.event("begin", "new", 1);
      client.send("'do':'go','id':'hang'");

      client.awaitEnd();
      awaitGone("hang");
      next.call(command("close", ""));
    }
  }

  /** A poll that waits at that moment ends without a message. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @Tag("extended")
  void aPausedWorker_claimsNothing_andGoesOnWhenItIsResumed(Language language) {
    Driver client = DRIVERS.of(language);
    client.call(command("work", work(1, "1h", "0s")));
    String workers = "/v1/workers?queue=" + queue;
    Pattern id = Pattern.compile("\"id\":\"([^\"]+)\"");
    soon().until(() -> id.matcher(server.get(workers).body()).find());
    Matcher found = id.matcher(server.get(workers).body());
    assertThat(found.find()).isTrue();
    String pause = "/v1/workers/" + found.group(1) + "/pause";
    assertThat(server.send("PUT", pause, "").statusCode()).isLessThan(300);
    soon().until(() -> server.get(workers).body().contains("\"paused\":true"));

    List<String> ids = List.of("one", "two", "three");
    ids.forEach(each -> schedule(client, each, "null", ""));
    assertThat(ids.stream().mapToLong(client::begun).sum()).isZero();

    assertThat(server.send("DELETE", pause, "").statusCode()).isLessThan(300);
    ids.forEach(each -> client.event("begin", each, 1));
    ids.forEach(this::awaitGone);
    client.call(command("close", ""));
  }

  @ParameterizedTest
  @EnumSource
  void aClose_releasesWhatDoesNotEnd(Language language) {
    Driver client = DRIVERS.of(language);
    client.call(command("work", work(1, "1h", "50ms")));
    schedule(client, "stuck", "{'do':'hang'}", "");
    client.event("begin", "stuck", 1);

    client.call(command("close", ""));

    client.event("lost", "stuck", 0);
    assertThat(message("stuck")).contains("\"state\":\"READY\"", "\"attempts\":0");
  }

  @Test
  void aForkedProcess_sharesNoConnection(@TempDir Path own) throws Exception {
    Language.PYTHON.assume();
    String program =
        """
        import os, sys
        from punctual import Punctual
        queue = Punctual(sys.argv[1]).queue("forked")
        queue.schedule(0, delay="1h")
        child = os.fork()
        name = "child" if child == 0 else "parent"
        ids = [f"{name}-{i}" for i in range(100)]
        right = all(queue.schedule(0, delay="1h", id=id)["id"] == id for id in ids)
        os._exit(0 if right and (child == 0 or os.waitpid(child, 0)[1] == 0) else 1)
        """;
    Path log = own.resolve("log");
    Process process =
        Language.PYTHON.start(
            Language.write(own.resolve("fork.py"), program),
            List.of(server.server().address().toString()),
            Redirect.appendTo(log.toFile()),
            Redirect.DISCARD);
    assertThat(process.waitFor()).as(Files.readString(log)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"PYTHON", "JAVASCRIPT"})
  void aSettlementThatTheServerRefuses_doesNotKeepTheOthers(Language language) {
    Driver client = DRIVERS.of(language);
    client.call(command("work", work(2, "1h", "0s")));
    schedule(client, "never", "{'do':'never'}", "");
    client.event("begin", "never", 1);

    schedule(client, "next", "null", "");

    client.event("begin", "next", 1);
    awaitGone("next");
    client.call(command("close", ""));
  }
}
