package io.punctual.http.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.http.text.BadInputException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Halves of surrogate pairs in texts of JSON. */
final class SurrogateEscapesTest {
  private static String text(String escapes) {
    return JsonInput.read(('"' + escapes + '"').getBytes(UTF_8), JsonInput::text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\ud83d\\ude00",
        "\\uD83D\\uDE00",
        "\\uDbfF\\uDfFf\\ud800\\udc00",
        "\\\\\\ud83d\\ude00",
      })
  void aPair_isRead(String escapes) {
    assertThat(text(escapes).codePoints()).anyMatch(Character::isSupplementaryCodePoint);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\\\ud800", "\\\\\\\\uDC00x", "\\ud7ff\\ue000", "\\u0d80", "\\nud800"})
  void anEscapeOfAnotherCharacter_isRead(String escapes) {
    assertThat(text(escapes)).isNotEmpty().matches("[^\\x{D800}-\\x{DFFF}]*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\ud800",
        "\\uDBFF",
        "\\udc00",
        "\\uDFFF",
        "\\ud83d\\ud83d\\ude00",
        "\\ud83d\\ude00\\ude00",
        "\\ude00\\ud83d",
        "\\ud83dx\\ude00",
        "\\ud83d\\\\ude00",
        "\\\\\\ud83d",
        "\\ud83d\\n",
      })
  void aHalf_isRefused(String escapes) {
    assertThatThrownBy(() -> text(escapes))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("half of a surrogate pair");
  }
}
