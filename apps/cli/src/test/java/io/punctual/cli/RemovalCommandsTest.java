package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests commands that remove messages and queues, or change dead letters. */
class RemovalCommandsTest extends CommandFixture {
  @Test
  void cancel_readerGone_cancelsAllAndKeepsTheExitCode() {
    schedule("a", "1h");

    assertThat(cli.withoutReader().run("cancel", "q", "none", "a").exitCode()).isEqualTo(3);

    cli.out = new ByteArrayOutputStream();
    assertThat(counts().get("scheduled").asInt()).isZero();
  }

  @Test
  void purge_withoutTerminalAndYes_isRefusedAndRemovesNothing() {
    schedule("a", "1h");

    Cli.Result result = cli.run("purge", "q");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--yes");
    assertThat(counts().get("scheduled").asInt()).isOne();
  }

  @Test
  void purge_yes_removesTheStatesNamed() {
    schedule("a", "1h");
    schedule("b", "0s");
    bury("c");

    assertThat(cli.run("purge", "q", "--yes", "-o", "json").json().get("removed").asInt())
        .isEqualTo(2);
    assertThat(counts().get("dead").asInt()).isOne();
    assertThat(cli.run("purge", "q", "-y", "--state", "dead").out()).contains("1");
    assertThat(counts().get("dead").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"y", "YES", "yes "})
  void purge_askedOnATerminalAndGranted_removes(String answer) {
    schedule("a", "1h");
    cli.terminal = new Terminal(true, true, true, false, false, 80);

    Cli.Result result = cli.input(answer + "\n").run("purge", "q");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err())
        .contains("Remove all scheduled and ready messages of queue 'q'? [y/N]");
    assertThat(counts().get("scheduled").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"n\n", "\n", "", "yellow\n"})
  void purge_askedOnATerminalAndNotGranted_removesNothing(String answer) {
    schedule("a", "1h");
    cli.terminal = new Terminal(true, true, true, false, false, 80);

    assertThat(cli.input(answer).run("purge", "q").exitCode()).isEqualTo(1);
    assertThat(counts().get("scheduled").asInt()).isOne();
  }

  @Test
  void delete_withoutTerminalAndYes_isRefusedAndDeletesNothing() {
    schedule("a", "1h");
    cli.run("purge", "q", "--yes");

    Cli.Result result = cli.run("delete", "q");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--yes");
    assertThat(cli.run("queues").out()).contains("q ");
  }

  @Test
  void delete_emptyQueue_isNoLongerListed() {
    schedule("a", "1h");
    cli.run("purge", "q", "--yes");

    assertThat(cli.run("delete", "q", "--yes").exitCode()).isZero();
    assertThat(cli.run("queues", "-o", "json").json()).isEmpty();
    Cli.Result again = cli.run("delete", "q", "--yes");
    assertThat(again.exitCode()).isEqualTo(3);
    assertThat(again.err()).contains("has no queue 'q'");
  }

  @Test
  void delete_queueWithMessages_needsTheOption() {
    schedule("a", "1h");
    bury("b");

    Cli.Result refused = cli.run("delete", "q", "--yes");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("--with-messages");
    assertThat(counts().get("scheduled").asInt()).isOne();

    assertThat(cli.run("delete", "q", "--yes", "--with-messages").exitCode()).isZero();
    assertThat(cli.run("queues", "-o", "json").json()).isEmpty();
  }

  @Test
  void delete_askedOnATerminalAndNotGranted_deletesNothing() {
    schedule("a", "1h");
    cli.terminal = new Terminal(true, true, true, false, false, 80);

    Cli.Result result = cli.input("n\n").run("delete", "q", "--with-messages");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("Delete queue 'q' and all of its messages? [y/N]");
    assertThat(counts().get("scheduled").asInt()).isOne();
  }

  @Test
  void deadList_showsTheReasonWithoutSteeringTheTerminal() {
    bury("a");

    assertThat(cli.run("dead-letters", "list", "q").out())
        .contains("BY_CALLER: no use: ")
        .doesNotContain("\u001b");
    assertThat(
            cli.run("dead-letters", "list", "q", "-o", "json")
                .json()
                .get(0)
                .get("reason")
                .asString())
        .isEqualTo("no use: \u001b[2J");
  }

  @Test
  void deadRedrive_options_selectAndLimit() {
    bury("a", "no such card");
    bury("b", "no such card");
    bury("c", "too old");

    Cli.Result dry =
        cli.run("dead-letters", "redrive", "q", "--failure", "card", "--dry-run", "-o", "json");
    assertThat(dry.json().get("matching").asInt()).isEqualTo(2);
    assertThat(counts().get("dead").asInt()).isEqualTo(3);
    Cli.Result one =
        cli.run("dead-letters", "redrive", "q", "--failure", "card", "--limit", "1", "-o", "json");
    assertThat(one.json().get("redriven").asInt()).isOne();
    Cli.Result rest =
        cli.run("dead-letters", "redrive", "q", "--failure", "card", "--rate", "1000");
    assertThat(rest.out()).containsPattern("redriven +1");
    assertThat(counts().get("dead").asInt()).isOne();
    assertThat(cli.run("dead-letters", "redrive", "q", "a", "--all").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "redrive", "q", "a", "--limit", "1").exitCode())
        .isEqualTo(2);
    assertThat(cli.run("dead-letters", "delete", "q", "a", "--rate", "1", "--yes").err())
        .contains("--limit and --rate");
    assertThat(cli.run("dead-letters", "redrive", "q").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "redrive", "q", "--all", "--rate", "0").exitCode())
        .isEqualTo(2);
  }

  @Test
  void deadRedrive_payload_replacesTheBytes() {
    bury("a");

    assertThat(cli.run("dead-letters", "redrive", "q", "a", "--payload", "{\"n\":2}").exitCode())
        .isZero();
    assertThat(cli.run("show", "q", "a", "-o", "json").json().get("payload").get("n").asInt())
        .isEqualTo(2);
    assertThat(cli.run("dead-letters", "redrive", "q", "--all", "--payload", "x").exitCode())
        .isEqualTo(2);
  }

  @Test
  void deadDelete_options_needConfirmationUnlessTheyOnlyCount() {
    bury("a", "no such card");
    bury("b", "too old");

    assertThat(cli.run("dead-letters", "delete", "q", "--failure", "old").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "delete", "q", "--failure", "old", "--dry-run").exitCode())
        .isZero();
    assertThat(counts().get("dead").asInt()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "delete", "q", "--failure", "old", "--yes").exitCode())
        .isZero();
    assertThat(counts().get("dead").asInt()).isOne();
  }

  @Test
  void deadRedrive_byIdOrAll_makesThemReady() {
    bury("a");
    bury("b");
    bury("c");

    assertThat(cli.run("dead-letters", "redrive", "q", "a").exitCode()).isZero();
    assertThat(cli.run("dead-letters", "redrive", "q", "a").exitCode()).isEqualTo(1);
    assertThat(cli.run("dead-letters", "redrive", "q", "x").exitCode()).isEqualTo(3);
    assertThat(
            cli.run("dead-letters", "redrive", "q", "--all", "-o", "json")
                .json()
                .get("redriven")
                .asInt())
        .isEqualTo(2);
    awaitReady(3);
  }

  @Test
  void deadDelete_byIdOrAll_removesThem() {
    bury("a");
    bury("b");

    assertThat(cli.run("dead-letters", "delete", "q", "a").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "delete", "q", "a", "--yes").exitCode()).isZero();
    assertThat(cli.run("dead-letters", "delete", "q", "a", "--yes").exitCode()).isEqualTo(3);
    assertThat(cli.run("dead-letters", "delete", "q", "--all", "--yes").exitCode()).isZero();
    assertThat(counts().get("dead").asInt()).isZero();
  }

  @Test
  void dead_neitherSomeNorAll_isWrongUsage() {
    assertThat(cli.run("dead-letters").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "redrive", "q").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "redrive", "q", "a", "--all").exitCode()).isEqualTo(2);
    assertThat(cli.run("dead-letters", "delete", "q", "--yes").exitCode()).isEqualTo(2);
  }
}
