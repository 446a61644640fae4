package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import java.io.ByteArrayOutputStream;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Tests recurring messages: schedule, list, show, change, consume. */
class RecurringCommandTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  private JsonNode show(String id) {
    return cli.run("show", "q", id, "-o", "json").json();
  }

  @Test
  void cron_withoutTime_beginsAtItsNextTime() {
    Cli.Result result =
        cli.run("schedule", "q", "x", "--id", "a", "--cron", "0 9 1 1 *", "--zone", "Asia/Kolkata");

    assertThat(result.exitCode()).isZero();
    JsonNode stored = show("a");
    assertThat(stored.get("recurrence").asString()).isEqualTo("cron Asia/Kolkata 0 9 1 1 *");
    assertThat(stored.get("dueAt").asString()).endsWith("-01-01T03:30:00.000Z");
    assertThat(stored.get("occurrence")).isEqualTo(stored.get("dueAt"));
    assertThat(stored.get("nextOccurrences")).hasSize(3);
    assertThat(stored.get("nextOccurrences").get(0).asString())
        .endsWith("-01-01T03:30:00.000Z")
        .isGreaterThan(stored.get("dueAt").asString());
  }

  @Test
  void every_withTime_beginsThen() {
    cli.run("schedule", "q", "x", "--id", "a", "--every", "1h", "--at", "2090-01-01T00:00:00Z");

    assertThat(cli.run("show", "q", "a").out())
        .contains("every PT1H")
        .contains("2090-01-01T01:00:00.000Z")
        .contains("2090-01-01T03:00:00.000Z")
        .doesNotContain("2090-01-01T04:00:00.000Z");
  }

  @Test
  void list_recurring_showsTheNextOccurrences() {
    cli.run("schedule", "q", "once", "--id", "b", "--in", "1h");
    String at = "2090-01-01T00:00:00Z";
    cli.run("schedule", "q", "x", "--id", "a", "--every", "90m", "--catch-up", "--at", at);

    String all = cli.run("list", "q").out();
    assertThat(all).contains("PAYLOAD").contains("once").doesNotContain("RECURRENCE");
    cli.out = new ByteArrayOutputStream();
    String recurring = cli.run("list", "q", "--recurring").out();
    assertThat(recurring)
        .contains("THEN", "RECURRENCE", "every PT1H30M, catch-up", "2090-01-01T01:30:00.000Z")
        .doesNotContain("once")
        .doesNotContain("b ");
  }

  @Test
  void list_recurringBeyondTheLimit_saysSo() {
    cli.run("schedule", "q", "x", "--id", "a", "--every", "1h", "--at", "2090-01-01T00:00:00Z");
    cli.run("schedule", "q", "x", "--id", "b", "--every", "1h", "--at", "2090-01-01T00:00:00Z");

    assertThat(cli.run("list", "q", "--recurring", "--limit", "1").err()).contains("more messages");
    assertThat(cli.run("list", "q", "--recurring", "--limit", "2").err()).isEmpty();
  }

  @Test
  void newSchedule_keepsTheId() {
    cli.run("schedule", "q", "x", "--id", "a", "--every", "1h");
    Cli.Result kept = cli.run("schedule", "q", "x", "--id", "a", "--every", "2h");
    assertThat(kept.exitCode()).isEqualTo(4);
    Cli.Result replaced =
        cli.run("schedule", "q", "x", "--id", "a", "--every", "2h", "--if-present", "replace");
    assertThat(replaced.exitCode()).isZero();
    assertThat(show("a").get("recurrence").asString()).isEqualTo("every PT2H");
  }

  @Test
  void reschedule_keepsTheRecurrence() {
    cli.run("schedule", "q", "x", "--id", "a", "--every", "1h");
    cli.run("reschedule", "q", "a", "--at", "2090-01-01T00:30:00Z");
    JsonNode stored = show("a");
    assertThat(stored.get("recurrence").asString()).isEqualTo("every PT1H");
    assertThat(stored.get("nextOccurrences").get(0).asString())
        .isEqualTo("2090-01-01T01:30:00.000Z");
  }

  @Test
  void consume_schedulesTheNextOccurrence() {
    cli.run("schedule", "q", "x", "--id", "a", "--every", "1h", "--at", "2020-01-01T00:10:00Z");
    Cli.Result consumed = cli.run("consume", "q", "--exit-when-idle", "100ms");
    assertThat(consumed.exitCode()).isZero();
    assertThat(show("a").get("state").asString()).isEqualTo("SCHEDULED");
    assertThat(show("a").get("dueAt").asString()).endsWith(":10:00.000Z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--every;1h;--cron;0 9 * * *;either --every or --cron",
        "--catch-up;;;;either --every or --cron",
        "--every;1h;--zone;UTC;--zone is the time zone of --cron",
        "--cron;0 25 * * *;;;The hour '25'",
        "--cron;0 9 * * *;--zone;Mars;is not a time zone",
        "--every;0s;;;at least a millisecond"
      })
  void wrongOptions_areNamed(String a, String b, String c, String d, String named) {
    String[] all =
        Stream.of("schedule", "q", "x", a, b, c, d).filter(Objects::nonNull).toArray(String[]::new);
    Cli.Result result = cli.run(all);
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains(named);
  }

  @Test
  void lines_comeOnce() {
    Cli.Result result = cli.input("").run("schedule", "q", "--every", "1h");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("needs a BODY");
  }
}
