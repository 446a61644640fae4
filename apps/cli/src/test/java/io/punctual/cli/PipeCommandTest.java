package io.punctual.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.cli.input.LineReader;
import io.punctual.memory.MemoryStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class PipeCommandTest {
  private final Cli cli = new Cli();
  private final MemoryStore store = MemoryStore.builder().build();

  @Test
  void pipe_lines_comeOutInTheOrderOfTheirTimes() {
    Cli.Result result =
        cli.input(
                """
                {"id":"late","delay":"2s","payload":1}
                {"id":"soon","delay":"PT0.1S","payload":2}
                {"id":"now","dueAt":"2020-01-01T00:00:00Z","payload":3}
                """)
            .run("pipe");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.jsonLines())
        .extracting(line -> line.get("id").asString())
        .containsExactly("now", "soon", "late");
  }

  @Test
  void pipe_line_hasExactlyTheFieldsPromised() {
    Cli.Result result =
        cli.input("{\"id\":\"a\",\"delay\":\"20ms\",\"payload\":\"x\",\"headers\":{\"k\":\"v\"}}")
            .run("pipe");

    JsonNode line = result.jsonLines().get(0);
    assertThat(line.propertyNames())
        .containsExactly(
            "id",
            "fencingToken",
            "dueAt",
            "deliveredAt",
            "latenessMillis",
            "attempt",
            "lastAttempt",
            "headers",
            "payload");
    assertThat(Instant.parse(line.get("deliveredAt").asString()))
        .isAfterOrEqualTo(Instant.parse(line.get("dueAt").asString()));
    assertThat(line.get("latenessMillis").asDouble()).isNotNegative();
    assertThat(line.get("attempt").asInt()).isOne();
    assertThat(line.get("headers").get("k").asString()).isEqualTo("v");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.10",
        "-0.0",
        "1e400",
        "1E+2",
        "123456789012345678901234567890",
        "null",
        "true",
        "\"\"",
        "\"caf\u00e9 \u2603 \ud83d\ude00 \\u00e9 \\\"\\\\ \\n\"",
        "[]",
        "[1,  2.50, [ {} ]]",
        "{\"b\":1,\"a\":{\"b\":[null]},\"b\":2}"
      })
  void pipe_payload_comesBackAsTheSameText(String payload) {
    Cli.Result result =
        cli.input("{\"payload\": " + payload + " , \"id\":\"a\",\"delay\":\"0s\"}").run("pipe");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).endsWith("\"payload\":" + payload + "}\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 4000, 500_000})
  void pipe_longAndDeepPayloads_comeBackAsTheSameText(int size) {
    String number = "1".repeat(size);
    String text = "\"" + "\u2603".repeat(size / 2) + "\"";
    String nested = "[".repeat(Math.min(size, 5000)) + "]".repeat(Math.min(size, 5000));
    for (String payload : List.of(number, text, nested)) {
      Cli.Result result = cli.input("{\"payload\":" + payload + ",\"delay\":\"0s\"}").run("pipe");

      assertThat(result.exitCode()).as(result.err()).isZero();
      assertThat(isPayload(result, payload)).isTrue();
    }
  }

  @Test
  void pipe_payloadThatJsonReadersRefuse_comesBackAsText() {
    String payload = "\"\\ud800\"";
    Cli.Result result = cli.input("{\"payload\":" + payload + ",\"delay\":\"0s\"}").run("pipe");

    assertThat(result.jsonLines().get(0).get("payloadText").asBoolean()).isTrue();
    assertThat(isPayload(result, payload)).isTrue();
  }

  /** JSON that common readers refuse, such as numbers of thousands of digits, is text. */
  private static boolean isPayload(Cli.Result result, String payload) {
    if (!result.out().endsWith("\"payloadText\":true}\n")) {
      return result.out().endsWith("\"payload\":" + payload + "}\n");
    }
    return result.jsonLines().get(0).get("payload").asString().equals(payload);
  }

  @Test
  void pipe_unicodeIdAndHeaders_comeBack() {
    String id = "\u00e9\ud83c\udf0d";
    Cli.Result result =
        cli.input(
                "{\"id\":\""
                    + id
                    + "\",\"delay\":\"0s\",\"payload\":0,\"headers\":{\"\u00fc\":\"\u2603\"}}")
            .run("pipe");

    JsonNode line = result.jsonLines().get(0);
    assertThat(line.get("id").asString()).isEqualTo(id);
    assertThat(line.get("headers").get("\u00fc").asString()).isEqualTo("\u2603");
  }

  @Test
  void pipe_badLines_areNamedByNumberAndTheRestGoesOn() {
    Cli.Result result =
        cli.input(
                """
                {"delay":"0s","payload":"good"}
                nonsense

                {"delay":"10 parsecs","payload":1}
                {"dealy":"0s","payload":1}
                {"payload":1}
                {"delay":"0s"}
                {"delay":"0s","dueAt":"2030-01-01T00:00:00Z","payload":1}
                {"delay":"0s","payload":1} {}
                {"delay":"0s","payload":1,"id":7}
                {"delay":"0s","payload":1,"id":""}
                {"delay":"0s","payload":1,"headers":{"n":1}}
                {"delay":"P9999999D","payload":1}
                [1]
                {"delay":"0s","payload":1,"id":"\\ud800"}
                {"delay":"0s","delay":"1s","payload":1}
                {"delay":"0s","payload":"good too"}
                """)
            .run("pipe");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).hasLineCount(2).contains("good", "good too");
    assertThat(result.err().lines().map(line -> line.replaceAll("^(line \\d+) .*", "$1")))
        .containsExactly(
            IntStream.of(2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
                .mapToObj(number -> "line " + number)
                .toArray(String[]::new));
    assertThat(result.err()).contains("'10 parsecs'", "'dealy'", "neither delay nor dueAt");
  }

  @Test
  void pipe_lineThatIsNotUtf8_isNamed() {
    byte[] line = "{\"delay\":\"0s\",\"payload\":\"?\"}\n".getBytes(US_ASCII);
    line[24] = (byte) 0xff;
    cli.in = new ByteArrayInputStream(line);

    assertThat(cli.run("pipe").err()).contains("line 1 is not UTF-8");
  }

  @Test
  void pipe_lineBeyondTheLimit_isNamedAndTheNextGoesOn() {
    Cli.Result result =
        cli.input("x".repeat(LineReader.LIMIT * 3) + "\n{\"delay\":\"0s\",\"payload\":1}\n")
            .run("pipe");

    assertThat(result.err()).startsWith("line 1 is longer than").hasLineCount(1);
    assertThat(result.out()).hasLineCount(1);
  }

  @Test
  void pipe_byteOrderMarkAndCarriageReturns_areNoHindrance() {
    Cli.Result result =
        cli.input("\ufeff{\"delay\":\"0s\",\"payload\":1}\r\n\r\n{\"delay\":\"0s\",\"payload\":2}")
            .run("pipe");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).hasLineCount(2);
  }

  @Test
  void pipe_idThatStillWaits_isRefusedByNumber() {
    Cli.Result result =
        cli.input(
                """
                {"id":"a","delay":"2s","payload":1}
                {"id":"a","delay":"0s","payload":2}
                """)
            .run("pipe");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).startsWith("line 2 has the id 'a'");
    assertThat(result.out()).hasLineCount(1).contains("\"payload\":1");
  }

  @Test
  void pipe_strictWithABadLine_schedulesNothing() {
    Cli.Result result =
        cli.input("{\"delay\":\"0s\",\"payload\":1}\nbad\n").run("pipe", "--strict");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("line 2 is not JSON", "Nothing was scheduled");
  }

  @Test
  void pipe_strictWithGoodLines_pipesThem() {
    Cli.Result result = cli.input("{\"delay\":\"0s\",\"payload\":1}").run("pipe", "--strict");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).hasLineCount(1);
  }

  @Test
  void pipe_emptyInput_endsAtOnce() {
    assertThat(cli.run("pipe")).isEqualTo(new Cli.Result(0, "", ""));
  }

  @Test
  void pipe_longLog_allLinesComeOutOnceAndUnaltered() {
    int lines = GeneratedLog.LONG;
    GeneratedLog log = new GeneratedLog(lines);
    cli.in = log.asInput(Duration.ofSeconds(1));

    Cli.Result result = cli.run("pipe");

    assertThat(result.exitCode()).as(result.err()).isZero();
    BitSet seen = new BitSet(lines);
    List<JsonNode> wrong = new ArrayList<>();
    for (JsonNode line : result.jsonLines()) {
      int number = Integer.parseInt(line.get("id").asString().substring("line-".length()));
      boolean isEarly =
          line.get("deliveredAt").asString().compareTo(line.get("dueAt").asString()) < 0;
      boolean isAltered = !line.get("payload").asString().equals(log.line(number));
      if (isEarly || isAltered || seen.get(number)) {
        wrong.add(line);
      }
      seen.set(number);
    }
    assertThat(wrong).isEmpty();
    assertThat(seen.cardinality()).isEqualTo(lines);
  }

  @Test
  void pipe_inputStillOpen_givesBackWhatIsDueMeanwhile() throws Exception {
    PipedOutputStream producer = new PipedOutputStream();
    cli.in = new PipedInputStream(producer);
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    cli.out = new FilterOutputStream(seen);
    CompletableFuture<Cli.Result> running = CompletableFuture.supplyAsync(() -> cli.run("pipe"));

    producer.write("{\"delay\":\"0s\",\"payload\":1}\n".getBytes(UTF_8));
    producer.flush();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> seen.toString(UTF_8).contains("\"payload\":1"));
    producer.close();

    assertThat(running.get(60, TimeUnit.SECONDS).exitCode()).isZero();
  }

  @Test
  void pipe_readerGone_endsQuietlyAndGivesBackWhatWasNotRead() {
    // The line that is due now comes last: the command has read both lines when its write fails.
    cli.shared(store).input("{\"delay\":\"1h\",\"payload\":1}\n{\"delay\":\"0s\",\"payload\":2}");
    cli.withoutReader();

    assertThat(cli.run("pipe", "--queue", "q")).isEqualTo(new Cli.Result(0, "", ""));
    assertThat(counts().leased()).isZero();
    assertThat(counts().pending()).isEqualTo(2);
  }

  @Test
  void pipe_readerGone_saysWhereTheRestOfItsOwnQueueIs() {
    // The line that is due now comes last: the command has read both lines when its write fails.
    cli.shared(store).input("{\"delay\":\"1h\",\"payload\":1}\n{\"delay\":\"0s\",\"payload\":2}");
    cli.withoutReader();

    Cli.Result result = cli.run("pipe");

    String queue = store.queues().toCompletableFuture().join().get(0);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("not written: 2", "punctual pipe --queue " + queue);
  }

  @Test
  void pipe_diskFull_fails() {
    cli.out = Cli.failing("No space left on device");

    Cli.Result result = cli.input("{\"delay\":\"0s\",\"payload\":1}").run("pipe");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("No space left");
  }

  private Counts counts() {
    try (Punctual punctual = cli.stores.open("")) {
      return punctual.queue("q", Codec.bytes()).counts();
    }
  }

  @Test
  void pipe_stopped_saysHowToGoOnAndTheRestComesOutThen() {
    cli.shared(store).input("{\"id\":\"a\",\"delay\":\"1h\",\"payload\":\"later\"}");
    CompletableFuture<Cli.Result> running =
        CompletableFuture.supplyAsync(() -> cli.run("pipe", "--queue", "q"));
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> counts().pending() == 1);
    cli.stop.ask();
    Cli.Result stopped = running.join();

    assertThat(stopped.exitCode()).isEqualTo(1);
    assertThat(stopped.err()).contains("punctual pipe --queue q");

    assertThat(new Cli().shared(store).run("run-now", "q", "a").exitCode()).isZero();
    Cli.Result rest = new Cli().shared(store).run("pipe", "--queue", "q");
    assertThat(rest.exitCode()).isZero();
    assertThat(rest.out()).hasLineCount(1).contains("\"later\"");
  }

  @Test
  void pipe_allOut_deletesTheQueueThatItMadeAndNoOther() {
    cli.shared(store).input("{\"payload\":1,\"delay\":\"0s\"}\n").run("pipe");
    assertThat(store.queues().toCompletableFuture().join()).isEmpty();

    cli.input("{\"payload\":1,\"delay\":\"0s\"}\n").run("pipe", "--queue", "mine");
    assertThat(store.queues().toCompletableFuture().join()).containsExactly("mine");
  }

  @Test
  void pipe_stoppedWithLinesLeft_keepsTheQueueThatItMade() {
    cli.shared(store).input("{\"delay\":\"1h\",\"payload\":\"later\"}");
    CompletableFuture<Cli.Result> running = CompletableFuture.supplyAsync(() -> cli.run("pipe"));
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !store.queues().toCompletableFuture().join().isEmpty());
    cli.stop.ask();
    assertThat(running.join().exitCode()).isEqualTo(1);
    assertThat(store.queues().toCompletableFuture().join()).hasSize(1);
  }

  @Test
  void pipe_queueWithOtherPayloads_showsTextAndBytes() {
    cli.shared(store);
    try (Punctual punctual = cli.stores.open("")) {
      List<Message<byte[]>> messages =
          List.of(
              Message.of("plain text".getBytes(UTF_8)),
              Message.of(new byte[] {(byte) 0xff, 0}),
              Message.of("{\n \"a\": 1\n}\n".getBytes(UTF_8)));
      assertThat(punctual.queue("q", Codec.bytes()).scheduleAll(messages)).hasSize(3);
    }

    assertThat(cli.run("pipe", "--queue", "q").out())
        .hasLineCount(3)
        .contains("\"payload\":\"plain text\",\"payloadText\":true}")
        .contains("\"payloadBase64\":\"/wA=\"}")
        .contains("\"payload\":{  \"a\": 1 }}");
  }

  @Test
  void pipe_badQueueName_isWrongUsage() {
    assertThat(cli.run("pipe", "--queue", "no spaces").exitCode()).isEqualTo(2);
  }
}
