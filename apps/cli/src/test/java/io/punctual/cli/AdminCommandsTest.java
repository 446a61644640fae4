package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.cli.input.RawCodec;
import io.punctual.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests commands that look at queues and messages, or change them. */
class AdminCommandsTest extends CommandFixture {
  @Test
  void cancel_waitingMessage_isGone() {
    schedule("a", "1h");

    Cli.Result result = cli.run("cancel", "q", "a");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).containsPattern("a +cancelled");
    assertThat(cli.run("show", "q", "a").exitCode()).isEqualTo(3);
  }

  @Test
  void cancel_severalOfWhichOneIsUnknown_isThreeAndDoesTheOthers() {
    schedule("a", "1h");
    schedule("c", "1h");

    Cli.Result result = cli.run("cancel", "q", "a", "b", "c", "-o", "ndjson");

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.jsonLines().stream().map(line -> line.get("outcome").asString()))
        .containsExactly("CANCELLED", "NOT_FOUND", "CANCELLED");
  }

  @Test
  void cancel_runningMessage_isOne() {
    schedule("a", "0s");
    try (Punctual punctual = cli.stores.open("")) {
      claim(punctual);
      Cli.Result result = cli.run("cancel", "q", "a", "-o", "json");

      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.json().get(0).get("outcome").asString()).isEqualTo("RUNNING");
      assertThat(cli.run("show", "q", "a", "-o", "json").json().get("cancelled").asBoolean())
          .isTrue();
    }
  }

  @Test
  void deadLetterGroups_twoFailures_areCountedAndSelectDeadLetters() {
    bury("a", "no such card 7");
    bury("b", "no such card 8");
    bury("c", "too old");

    Cli.Result groups = cli.run("dead-letters", "groups", "q", "-o", "ndjson");

    assertThat(groups.exitCode()).isZero();
    assertThat(groups.jsonLines().stream().map(line -> line.get("count").asInt()))
        .containsExactly(2, 1);
    JsonNode first = groups.jsonLines().get(0);
    assertThat(first.get("failure").asString()).isEqualTo("no such card #");
    assertThat(first.get("reason").asString()).isEqualTo("BY_CALLER");
    String key = first.get("group").asString();
    assertThat(cli.run("dead-letters", "groups", "q").out()).contains(key, "BY_CALLER: too old");
    Cli.Result list = cli.run("dead-letters", "list", "q", "--group", key, "-o", "ndjson");
    assertThat(list.jsonLines().stream().map(line -> line.get("id").asString()))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(cli.run("dead-letters", "list", "q", "--reason", "expired").out().lines())
        .hasSize(1);
  }

  @Test
  void reschedule_waitingMessage_hasItsNewTime() {
    schedule("a", "1h");

    assertThat(cli.run("reschedule", "q", "a", "--at", "2090-01-01T00:00:00Z").exitCode()).isZero();
    assertThat(cli.run("show", "q", "a", "-o", "json").json().get("dueAt").asString())
        .isEqualTo("2090-01-01T00:00:00.000Z");
    assertThat(cli.run("reschedule", "q", "b", "--in", "1h").exitCode()).isEqualTo(3);
    assertThat(cli.run("reschedule", "q", "a").exitCode()).isEqualTo(2);
  }

  @Test
  void runNow_waitingMessage_isReady() {
    schedule("a", "1h");

    assertThat(cli.run("run-now", "q", "a").exitCode()).isZero();
    awaitReady(1);
    assertThat(cli.run("run-now", "q", "b").exitCode()).isEqualTo(3);
  }

  @Test
  void show_toPeople_hasALineForWhatThereIs() {
    schedule("a", "1h");

    Cli.Result result = cli.run("show", "q", "a");

    assertThat(result.out())
        .containsPattern("id +a\n")
        .containsPattern("state +scheduled\n")
        .containsPattern("payload +\"payload of a\"\n")
        .doesNotContain("leased", "died");
  }

  @Test
  void show_unknown_isThreeAndSaysSoOnStderr() {
    schedule("b", "1h");

    Cli.Result result = cli.run("show", "q", "a");

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("'a'", "'q'");
  }

  @Test
  void list_byState_isInOrderAndLimited() {
    schedule("late", "3h");
    schedule("soon", "1h");
    schedule("middle", "2h");
    schedule("now", "0s");

    Cli.Result table = cli.run("list", "q");
    Cli.Result limited = cli.run("list", "q", "--limit", "2", "-o", "ndjson");
    Cli.Result ready = cli.run("list", "q", "--state", "ready", "-o", "json");

    assertThat(table.out().lines().map(line -> line.replaceFirst(" .*", "")))
        .containsExactly("ID", "soon", "middle", "late");
    assertThat(limited.jsonLines().stream().map(line -> line.get("id").asString()))
        .containsExactly("soon", "middle");
    assertThat(limited.err()).contains("--limit");
    assertThat(ready.json().size()).isOne();
    assertThat(ready.json().get(0).get("id").asString()).isEqualTo("now");
  }

  @Test
  void list_rangeOfTimes_isPartOfTheList() {
    schedule("first", "1h");
    schedule("second", "2h");
    schedule("third", "3h");
    String second = cli.run("show", "q", "second", "-o", "json").json().get("dueAt").asString();
    String third = cli.run("show", "q", "third", "-o", "json").json().get("dueAt").asString();

    assertThat(cli.run("list", "q", "--from", second).out())
        .contains("second", "third")
        .doesNotContain("first");
    assertThat(cli.run("list", "q", "--from", second, "--before", third).out())
        .contains("second")
        .doesNotContain("first", "third");
  }

  @Test
  void list_newest_beginsWithTheLastDueTimeAndTheLatestDeath() {
    schedule("first", "1h");
    schedule("second", "2h");
    assertThat(cli.run("list", "q", "--newest", "--limit", "1").out())
        .contains("second")
        .doesNotContain("first");
    bury("letter-1", "not wanted");
    bury("letter-2", "not wanted");
    assertThat(cli.run("dead-letters", "list", "q", "--newest", "--limit", "1").out())
        .contains("letter-2")
        .doesNotContain("letter-1");
  }

  @Test
  void list_moreThanAPage_hasThemAll() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2500; i++) {
      lines.append("{\"delay\":\"1h\",\"payload\":").append(i).append("}\n");
    }
    cli.input(lines.toString()).run("schedule", "q");

    assertThat(cli.run("list", "q", "--limit", "9999", "-o", "ndjson").out()).hasLineCount(2500);
    assertThat(cli.run("list", "q", "--limit", "1500", "-o", "json").json().size()).isEqualTo(1500);
  }

  @Test
  void list_nothing_isAnEmptyTableOrArray() {
    assertThat(cli.run("list", "q").out()).isEmpty();
    assertThat(cli.run("list", "q", "-o", "json").json().isEmpty()).isTrue();
    assertThat(cli.run("list", "q", "-o", "ndjson").out()).isEmpty();
    assertThat(cli.run("list", "q", "--state", "gone").exitCode()).isEqualTo(2);
  }

  @Test
  void queues_listsThemWithTheirCounts() {
    schedule("a", "1h");
    cli.run("schedule", "other", "x", "--at", "2020-01-01T00:00:00Z");

    JsonNode queues = cli.run("queues", "-o", "json").json();

    assertThat(queues.size()).isEqualTo(2);
    assertThat(queues.get(0).get("queue").asString()).isEqualTo("other");
    assertThat(queues.get(0).get("ready").asInt()).isOne();
    assertThat(queues.get(1).get("scheduled").asInt()).isOne();
    assertThat(cli.run("queues").out()).hasLineCount(3).startsWith("QUEUE");
  }

  @Test
  void queues_readyMessage_showsHowOverdueItIs() {
    cli.run("schedule", "late", "x", "--at", "2020-01-01T00:00:00Z");
    cli.run("schedule", "later", "x", "--in", "1h");

    JsonNode queues = cli.run("queues", "-o", "json").json();
    assertThat(queues.get(0).get("overdueMillis").asLong())
        .isGreaterThan(Duration.ofDays(365).toMillis());
    assertThat(queues.get(1).get("overdueMillis").asLong()).isZero();
    assertThat(cli.run("queues").out())
        .containsPattern("READY +OVERDUE")
        .containsPattern("later +1 +1 +0 +0s");
  }

  @Test
  void show_leasedMessage_namesTheHolderAndTheCreation() {
    Instant before = Instant.now().minusMillis(1);
    schedule("a", "0s");
    try (Punctual punctual = cli.stores.open("")) {
      claim(punctual);
      JsonNode shown = cli.run("show", "q", "a", "-o", "json").json();
      assertThat(Instant.parse(shown.get("createdAt").asString())).isBetween(before, Instant.now());
      String session = shown.get("leaseHolder").get("session").asString();
      assertThat(session).hasSizeGreaterThan(16);
      assertThat(cli.run("show", "q", "a").out())
          .containsPattern("created +2")
          .containsPattern("leased until +2")
          .containsPattern("leased by +session " + session);
      assertThat(cli.run("list", "q", "--state", "leased").out())
          .containsPattern("LEASED UNTIL +LEASED BY +ATTEMPTS +PAYLOAD")
          .containsPattern("a +2\\S+Z +session " + session + " +1 +");
    }
  }

  @Test
  void queues_byPrefix_areListedPageByPage() {
    List.of("mail.a", "mail.b", "mail.c", "other")
        .forEach(queue -> cli.run("schedule", queue, "x"));

    assertThat(cli.run("queues", "--prefix", "mail.").out().lines().skip(1)).hasSize(3);
    Cli.Result limited = cli.run("queues", "--prefix", "mail.", "--limit", "2");
    assertThat(limited.out()).contains("mail.a", "mail.b").doesNotContain("mail.c", "other");
    assertThat(limited.err()).contains("--after mail.b");
    assertThat(cli.run("queues", "--after", "mail.b").out())
        .contains("mail.c", "other")
        .doesNotContain("mail.a");
  }

  @Test
  void queues_ofSeveralPartitions_showsHowMany() {
    cli.shared(MemoryStore.builder().partitions(3).build());
    cli.run("schedule", "other", "x");

    assertThat(cli.run("queues", "-o", "json").json().get(0).get("partitions").asInt())
        .isEqualTo(3);
    assertThat(cli.run("queues").out()).contains("PARTITIONS");
  }

  @Test
  void counts_hasEveryState() {
    schedule("a", "1h");
    schedule("b", "0s");
    bury("c");

    assertThat(cli.run("stats", "q", "-o", "json").out())
        .matches(
            "\\{\"queue\":\"q\",\"partitions\":1,\"scheduled\":1,\"ready\":1,\"overdueMillis\":\\d+,\"leased\":0,\"dead\":1,\"finished\":0,\"paused\":false,\"limits\":\\{\"rate\":0,\"perMillis\":0,\"burst\":0,\"concurrency\":0\\}\\}\n");
    assertThat(cli.run("stats", "q").out()).containsPattern("scheduled +1\n");
  }

  @Test
  void forecast_toPeople_drawsBars() {
    schedule("a", "5m");
    schedule("b", "6m");
    schedule("c", "55m");

    Cli.Result result = cli.run("forecast", "q", "--buckets", "6");

    assertThat(result.out()).hasLineCount(7);
    assertThat(result.out()).containsPattern("\\+0s +#+ 2\n").containsPattern("\\+50m +#+ 1\n");
  }

  @Test
  void forecast_json_hasSpansThatJoin() {
    schedule("a", "5m");

    JsonNode spans =
        cli.run("forecast", "q", "--buckets", "4", "--within", "20m", "-o", "json").json();

    assertThat(spans.size()).isEqualTo(4);
    long sum = 0;
    for (int i = 0; i < spans.size(); i++) {
      sum += spans.get(i).get("count").asLong();
      if (i > 0) {
        assertThat(spans.get(i).get("from")).isEqualTo(spans.get(i - 1).get("to"));
      }
    }
    assertThat(sum).isOne();
    assertThat(cli.run("forecast", "q", "--buckets", "0").exitCode()).isEqualTo(2);
  }

  @Test
  void pauseAndResume_areSeenInTheCounts() {
    schedule("a", "0s");

    assertThat(cli.run("pause", "q").exitCode()).isZero();
    assertThat(counts().get("paused").asBoolean()).isTrue();
    assertThat(counts().get("pausedBy").asString()).isEqualTo(System.getProperty("user.name"));
    cli.run("pause", "q", "--reason", "a migration", "--by", "ann");
    assertThat(counts().get("pauseReason").asString()).isEqualTo("a migration");
    assertThat(cli.run("stats", "q").out()).contains("yes: a migration (ann)");
    assertThat(cli.run("queues").out()).contains("FINISHED", "yes: a migration (ann)");
    assertThat(cli.run("pause", "q", "--reason", "x".repeat(257)).err()).contains("256 bytes");
    assertThat(cli.run("resume", "q").exitCode()).isZero();
    assertThat(counts().get("paused").asBoolean()).isFalse();
  }

  @Test
  void limits_changedOneByOne_areShown() {
    schedule("a", "0s");
    assertThat(cli.run("limits", "q").out()).containsPattern("rate +no limit");

    assertThat(cli.run("limits", "q", "--rate", "100/s", "--burst", "20").exitCode()).isZero();
    assertThat(cli.run("limits", "q", "--concurrency", "10").out())
        .containsPattern("rate +100/s")
        .containsPattern("burst +20")
        .containsPattern("concurrency +10");
    assertThat(counts().get("limits").toString())
        .isEqualTo("{\"rate\":100,\"perMillis\":1000,\"burst\":20,\"concurrency\":10}");
    assertThat(cli.run("stats", "q").out())
        .containsPattern("limits +100/s burst 20, concurrency 10");

    assertThat(cli.run("limits", "q", "--clear", "--rate", "5/30s").exitCode()).isZero();
    assertThat(cli.run("stats", "q").out()).containsPattern("limits +5/30s burst 1");
    assertThat(cli.run("limits", "q", "--clear").exitCode()).isZero();
    assertThat(cli.run("stats", "q").out()).containsPattern("limits +none");
  }

  @Test
  void limits_wrongValues_areWrongUsage() {
    schedule("a", "0s");
    assertThat(cli.run("limits", "q", "--rate", "fast").err()).contains("write 100/s");
    assertThat(cli.run("limits", "q", "--burst", "3").err()).contains("--burst needs --rate");
    assertThat(cli.run("limits", "q", "--rate", "0/s").err()).contains("punctual pause");
    assertThat(cli.run("limits", "q", "--concurrency", "0").err()).contains("punctual pause");
    assertThat(cli.run("limits", "q", "--concurrency", "0").exitCode()).isEqualTo(2);
  }

  @Test
  void show_binaryPayload_isInBase64() {
    try (Punctual punctual = cli.stores.open("")) {
      punctual
          .queue("q", new RawCodec())
          .schedule(
              io.punctual.Message.of(new byte[] {(byte) 0xff}).id("a").dueIn(Duration.ofHours(1)));
    }

    assertThat(cli.run("show", "q", "a", "-o", "json").json().get("payloadBase64").asString())
        .isEqualTo("/w==");
    assertThat(cli.run("show", "q", "a").out().getBytes(StandardCharsets.UTF_8))
        .asString(StandardCharsets.UTF_8)
        .contains("(1 bytes)");
  }
}
