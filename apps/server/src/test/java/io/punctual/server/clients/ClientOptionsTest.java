package io.punctual.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of options on the page of the clients: all options, and their defaults. */
final class ClientOptionsTest {
  private final Path clients = Language.PYTHON.folder().getParent();
  private final String python = read("python/punctual.py");
  private final String javascript = read("javascript/punctual.js");
  private final String types = read("javascript/punctual.d.ts");
  private final String go = read("go/punctual.go");

  /** The tables: of a client, a message and a worker; each row has the cells of a line. */
  private final List<List<List<String>>> tables = tables(read("../docs/clients.md"));

  private String read(String file) {
    try {
      return Files.readString(clients.resolve(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<List<List<String>>> tables(String page) {
    List<List<List<String>>> tables = new ArrayList<>();
    for (String line : between(page, "## Options", "\n## ").split("\n", -1)) {
      if (line.startsWith("| Python |")) {
        tables.add(new ArrayList<>());
      } else if (line.startsWith("| ") && !line.startsWith("| ---")) {
        tables.get(tables.size() - 1).add(List.of(line.substring(2).split(" \\| ", -1)));
      }
    }
    return tables;
  }

  private static String between(String text, String begin, String end) {
    assertThat(text).contains(begin);
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }

  private static Set<String> all(String pattern, String text) {
    return new TreeSet<>(
        Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList());
  }

  private Set<String> column(int table, int column) {
    Set<String> names = new TreeSet<>();
    for (List<String> row : tables.get(table)) {
      names.addAll(all("`(\\w+)`", row.get(column)));
    }
    return names;
  }

  private static Set<String> without(String name, Set<String> names) {
    assertThat(names.remove(name)).as(name).isTrue();
    return names;
  }

  @Test
  void everyOptionOfPython_isInTheTables() {
    String client =
        between(between(python, "class Punctual:", "def queue"), "__init__", " -> None");
    assertThat(column(0, 0)).isEqualTo(without("url", all("(\\w+): ", client)));
    String message = between(python, "def _message(", ") -> Json");
    assertThat(column(1, 0)).isEqualTo(without("payload", all("(\\w+): ", message)));
    String worker =
        between(python, "def work(self, ", ") -> Worker")
            + between(python, "def close(self", ") -> None");
    assertThat(column(2, 0)).isEqualTo(without("handler", all("(\\w+): ", worker)));
  }

  @Test
  void everyOptionOfJavaScript_isInTheTables() {
    String field = "(?m)^  (\\w+)\\?:";
    assertThat(column(0, 1))
        .isEqualTo(all(field, between(types, "interface PunctualOptions {", "\n}")));
    assertThat(column(1, 1))
        .isEqualTo(all(field, between(types, "interface MessageOptions {", "\n}")));
    Set<String> worker = all(field, between(types, "interface WorkOptions {", "\n}"));
    worker.addAll(all("(\\w+)\\?:", between(types, "close(options?: {", "}")));
    assertThat(column(2, 1)).isEqualTo(worker);
  }

  @Test
  void everyOptionOfGo_isInTheTables() {
    assertThat(column(0, 2)).isEqualTo(all("func (\\w+)\\(.*\\) ClientOption ", go));
    String fields = between(go, "type Message struct {", "\n}");
    String names = String.join(" ", all("(?m)^\\t(\\w+(?:, \\w+)*) ", fields));
    assertThat(column(1, 2)).isEqualTo(without("Payload", all("(\\w+)", names)));
    assertThat(column(2, 2)).isEqualTo(all("func (\\w+)\\(.*\\) WorkOption ", go));
  }

  @Test
  void defaults_areThoseOfEachClient() {
    List<String> compared = new ArrayList<>();
    for (List<List<String>> table : tables) {
      for (List<String> row : table) {
        MatchResult usual =
            Pattern.compile("(\\d+)( s)?").matcher(row.get(3)).results().findFirst().orElse(null);
        if (usual != null) {
          String number = usual.group(1);
          String ofPython = row.get(0).replace("`", "") + ": \\w+ = \"?(\\d+)s?\"?[,)]";
          String ofJavaScript = row.get(1).replace("`", "") + " = \"?(\\d+)s?\"?[ ,]";
          String ofGo = row.get(2).replace("`", "").toLowerCase(Locale.ROOT) + ": +(\\d+)";
          assertThat(all(ofPython, python)).as(row.get(0)).containsExactly(number);
          assertThat(all(ofJavaScript, javascript)).as(row.get(1)).containsExactly(number);
          assertThat(all(ofGo, go)).as(row.get(2)).containsExactly(number);
          compared.add(row.get(1));
        }
      }
    }
    assertThat(compared)
        .containsExactly("`timeout`", "`patience`", "`concurrency`", "`lease`", "`grace`");
  }
}
