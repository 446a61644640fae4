package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests commands that change the waiting messages which options select. */
class ChangeMessagesCommandTest extends CommandFixture {
  private final Instant first = Instant.now().plus(Duration.ofHours(1));

  @BeforeEach
  void scheduleTen() {
    try (Punctual punctual = cli.stores.open("")) {
      queue(punctual)
          .scheduleAll(
              IntStream.range(0, 10)
                  .mapToObj(
                      i ->
                          Message.of("x")
                              .id("m" + i)
                              .header("tenant", i % 2 == 0 ? "acme" : "other")
                              .dueAt(first.plus(Duration.ofMinutes(i))))
                  .toList());
    }
  }

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("q", Codec.string());
  }

  private long scheduled() {
    try (Punctual punctual = cli.stores.open("")) {
      return queue(punctual).counts().scheduled();
    }
  }

  @Test
  void cancel_rangeOfDueTimesAndHeader_cancelsExactlyThose() {
    String[] selection = {
      "cancel",
      "q",
      "--due-from",
      first.plus(Duration.ofMinutes(2)).toString(),
      "--due-before",
      first.plus(Duration.ofMinutes(8)).toString(),
      "--header",
      "tenant=acme"
    };
    Cli.Result dryRun = cli.run(with(selection, "--dry-run", "-o", "json"));
    assertThat(dryRun.exitCode()).isZero();
    assertThat(dryRun.json().get("matching").asInt()).isEqualTo(3);
    assertThat(scheduled()).isEqualTo(10);

    assertThat(cli.run(selection).exitCode()).as("without a terminal to ask on").isEqualTo(2);
    assertThat(scheduled()).isEqualTo(10);

    Cli.Result result = cli.run(with(selection, "--yes", "--rate", "1000", "-o", "json"));
    assertThat(result.exitCode()).isZero();
    assertThat(result.json().get("changed").asInt()).isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      boolean isCancelled = i >= 2 && i < 8 && i % 2 == 0;
      assertThat(cli.run("show", "q", "m" + i).exitCode()).isEqualTo(isCancelled ? 3 : 0);
    }
  }

  private static String[] with(String[] arguments, String... more) {
    String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return all;
  }

  @Test
  void cancel_limit_cancelsTheEarliest() {
    Cli.Result result = cli.run("cancel", "q", "--all", "--limit", "4", "--yes");
    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).containsPattern("(?i)cancelled").contains("4");
    assertThat(scheduled()).isEqualTo(6);
    assertThat(cli.run("show", "q", "m3").exitCode()).isEqualTo(3);
  }

  @Test
  void reschedule_by_shiftsTheSelected() {
    Cli.Result result = cli.run("reschedule", "q", "--id-prefix", "m7", "--by=-PT10M");
    assertThat(result.exitCode()).isZero();
    try (Punctual punctual = cli.stores.open("")) {
      assertThat(queue(punctual).find("m7").orElseThrow().dueAt())
          .isBetween(
              first.minus(Duration.ofMinutes(3)), first.minus(Duration.ofMinutes(3)).plusMillis(1));
      assertThat(queue(punctual).find("m6").orElseThrow().dueAt()).isAfter(first);
    }
  }

  @Test
  void runNow_selected_areReady() {
    assertThat(cli.run("run-now", "q", "--header", "tenant=acme").exitCode()).isZero();
    try (Punctual punctual = cli.stores.open("")) {
      assertThat(queue(punctual).browse(State.READY, 10).items()).hasSize(5);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cancel q",
        "cancel q m1 --all",
        "cancel q m1 --dry-run",
        "cancel q m1 --rate 5",
        "cancel q --state dead --yes",
        "run-now q --state ready",
        "reschedule q m1",
        "reschedule q m1 --by 1h",
        "reschedule q --all --in 1h",
        "reschedule q --all --by 0s",
        "reschedule q --all",
      })
  void wrongUsage_isTwoAndChangesNothing(String line) {
    assertThat(cli.run(line.split(" ")).exitCode()).isEqualTo(2);
    assertThat(scheduled()).isEqualTo(10);
  }
}
