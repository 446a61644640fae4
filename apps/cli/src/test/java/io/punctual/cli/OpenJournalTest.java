package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.cli.input.RawCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenJournalTest {
  @TempDir private Path folder;

  private final Cli cli = new Cli();
  private Punctual owner;

  @BeforeEach
  void open() {
    cli.environment.put("PUNCTUAL_STORE", "journal:" + folder);
    owner = Punctual.open("journal:" + folder);
    TimedQueue<byte[]> queue = owner.queue("q", new RawCodec());
    queue.schedule(Message.of(bytes("1")).id("a").dueIn(Duration.ofHours(1)));
    queue.schedule(Message.of(bytes("2")).id("b"));
    queue
        .claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5)).maxWait(Duration.ofMinutes(1)))
        .get(0)
        .bury("no use");
    queue.schedule(Message.of(bytes("3")).id("c"));
    queue.claim(
        1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5)).maxWait(Duration.ofMinutes(1)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @AfterEach
  void close() {
    owner.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "queues",
        "stats q",
        "list q",
        "list q --state dead",
        "list q --state leased",
        "show q a",
        "forecast q",
        "dead-letters list q",
        "dead-letters groups q"
      })
  void look_journalIsOpen_works(String command) {
    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).isNotEmpty();
    assertThat(result.err()).isEmpty();
  }

  /** The URL is the owner's, and these options are not for a reader. */
  @Test
  void look_urlOfTheOwner_works() {
    cli.environment.put(
        "PUNCTUAL_STORE", "journal:" + folder + "?fsync=always&blockingTimeout=9s&create=true");

    assertThat(cli.run("queues").exitCode()).isZero();
  }

  @Test
  void stats_journalIsOpen_countsLeasesToo() {
    Cli.Result result = cli.run("stats", "q", "-o", "json");

    assertThat(result.json().get("scheduled").asInt()).isOne();
    assertThat(result.json().get("ready").asInt()).isZero();
    assertThat(result.json().get("leased").asInt()).isOne();
    assertThat(result.json().get("dead").asInt()).isOne();
    assertThat(cli.run("list", "q", "--state", "leased").out()).containsPattern("c +unknown +1");
  }

  @Test
  void journalStats_journalIsOpen_works() {
    Cli.Result result = cli.run("journal", "stats", folder.toString(), "-o", "json");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.json().get("waiting").asInt()).isEqualTo(2);
    assertThat(result.json().get("closed").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancel q a", "pause q", "schedule q 1", "purge q --yes"})
  void change_journalIsOpen_isRefusedWithThePid(String command) {
    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.err()).contains("pid " + ProcessHandle.current().pid());
  }
}
