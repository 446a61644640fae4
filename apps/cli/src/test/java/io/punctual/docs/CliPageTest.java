package io.punctual.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.punctual.cli.CommandParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the commands in the documentation can be parsed, and that the page of the command line
 * shows all commands.
 */
class CliPageTest {
  private static final Path DOCS = Path.of("..", "..", "docs");

  /**
   * Matches a call of the command in a line of shell code, up to a pipe, a redirection, a comment
   * or a closing parenthesis.
   */
  private static final Pattern CALL =
      Pattern.compile("^\\$? ?(?:[^'#]*[|(] *)?\\./punctual ((?:'[^']*'|[^'|<>#)])+)");

  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|[^' ])+");

  static Stream<String> calls() throws IOException {
    List<String> calls = new ArrayList<>();
    for (Path page : SnippetTest.pages()) {
      boolean inBlock = false;
      for (String line : Files.readAllLines(page)) {
        inBlock ^= line.startsWith("```");
        Matcher call = CALL.matcher(line);
        if (inBlock && call.find()) {
          calls.add(call.group(1).strip());
        }
      }
    }
    return calls.stream().distinct();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void call_inThePages_parses(String call) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(call);
    while (word.find()) {
      words.add(word.group().replace("'", ""));
    }

    assertThatCode(() -> CommandParser.parse(words)).doesNotThrowAnyException();
  }

  @Test
  void page_showsEveryCommand() throws IOException {
    String page = Files.readString(DOCS.resolve("cli.md"));

    for (String command : CommandParser.names()) {
      assertThat(page).contains("./punctual " + command);
    }
  }
}
