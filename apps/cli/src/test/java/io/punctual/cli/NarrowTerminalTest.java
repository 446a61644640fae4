package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Punctual;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.output.Terminal;
import io.punctual.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a person sees on a terminal that is narrower than a table. */
class NarrowTerminalTest {
  private static final String REASON = "the card was declined by the bank of the customer";

  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  NarrowTerminalTest() {
    cli.run("schedule", "orders", "x", "--id", "a");
    cli.run("schedule", "mails", "x", "--id", "b", "--in", "1h");
    try (Punctual punctual = cli.stores.open("")) {
      punctual
          .queue("orders", new RawCodec())
          .claim(
              1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5)).maxWait(Duration.ofMinutes(1)))
          .get(0)
          .bury(REASON);
    }
    cli.run(
        "pause", "mails", "--reason", "until the provider has repaired the relay", "--by", "eve");
  }

  private String shown(int columns, String... command) {
    cli.terminal = new Terminal(true, true, true, false, true, columns);
    Cli.Result result = cli.run(command);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out().lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
    return result.out();
  }

  private static String words(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 40, 60, 80, 120, 200})
  void groups_anyWidth_showTheWholeFailure(int columns) {
    assertThat(words(shown(columns, "dead-letters", "groups", "orders")).replace(" ", ""))
        .contains("FAILURE", REASON.replace(" ", ""));
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 60, 80, 120, 200})
  void queues_anyWidth_showWhyAQueueIsPaused(int columns) {
    assertThat(words(shown(columns, "queues")).replace(" ", ""))
        .contains("mails", "orders", "yes:untiltheproviderhasrepairedtherelay(eve)");
  }

  /** A terminal shows a Chinese character in two columns. */
  @Test
  void messages_idOfWideCharacters_keepsTheColumnsInLine() {
    String id = "\u6ce8\u6587".repeat(3);
    cli.run("schedule", "mails", "x", "--id", id, "--in", "1h");

    List<String> lines = shown(200, "list", "mails").lines().toList();

    String second = lines.get(0).strip().split(" {2,}", -1)[1];
    String before = id + " ".repeat(lines.get(0).indexOf(second) - 2 * id.length());
    assertThat(lines)
        .anySatisfy(line -> assertThat(line).startsWith(before).doesNotStartWith(before + " "));
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 21, 40, 41})
  void queues_reasonWithEmoji_isNotCutInside(int columns) {
    String reason = "\ud83d\ude80".repeat(30);
    cli.run("pause", "mails", "--reason", reason, "--by", "eve");

    String shown = shown(columns, "queues");

    assertThat(words(shown).replace(" ", "")).contains(reason);
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(shown)).isTrue();
    assertThat(shown.lines()).allMatch(StandardCharsets.UTF_8.newEncoder()::canEncode);
  }

  @Test
  void queues_columnsThatSayNothing_areNamedBelowTheTable() {
    cli.run("resume", "mails");

    assertThat(shown(70, "queues"))
        .startsWith("QUEUE ")
        .contains("Nothing in READY, OVERDUE, LEASED, FINISHED, PAUSED, LIMITS");
  }

  @Test
  void queues_wideTerminal_showEveryColumn() {
    assertThat(shown(200, "queues").lines().findFirst().orElseThrow())
        .contains("FINISHED  PAUSED ")
        .endsWith("  LIMITS");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dead-letters list mails",
        "dead-letters groups mails",
        "workers",
        "list mails --state dead",
        "queues --prefix none"
      })
  void lists_nothing_haveATitle(String command) {
    assertThat(cli.run(command.split(" ")).out()).isNotEmpty().doesNotContain("[");
    assertThat(cli.run((command + " -o json").split(" ")).out()).isEqualTo("[]\n");
  }

  @Test
  void lists_nothingOnANarrowTerminal_showTheTitlesOnly() {
    assertThat(words(shown(60, "workers"))).startsWith("QUEUE  NAME ").endsWith("LAST SEEN  ID");
  }

  @Test
  void recurring_narrowTerminal_cutsNoInstant() {
    cli.run("schedule", "mails", "x", "--id", "c", "--cron", "0 9 * * *");

    assertThat(shown(60, "list", "mails", "--recurring").lines())
        .noneMatch(line -> line.matches(".*:\\d\\d\\.\\d+"));
  }
}
