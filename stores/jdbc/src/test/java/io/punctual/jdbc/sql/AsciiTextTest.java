package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests texts for databases that can't store all characters, such as those of LATIN1. */
final class AsciiTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "plain", "zu spät", "日本 ☃ 😀", "C:\\users\\u0041", "\\", "$1"})
  void decode_encodedText_isTheText(String text) {
    String encoded = AsciiText.encode(text);
    assertThat(encoded).matches("\\p{ASCII}*");
    assertThat(AsciiText.decode(encoded)).isEqualTo(text);
  }
}
