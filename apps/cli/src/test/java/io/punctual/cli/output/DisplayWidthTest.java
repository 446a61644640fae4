package io.punctual.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests that texts are cut by the columns that they take. */
class DisplayWidthTest {
  private static final String WIDE = "\u4e2d";
  private static final String MARKED = "e\u0301";
  private static final String EMOJI = "\ud83d\ude00";

  @Test
  void cut_wideCharacters_countTwice() {
    assertThat(DisplayWidth.cut(WIDE.repeat(50), 100)).isEqualTo(WIDE.repeat(50));
    assertThat(DisplayWidth.cut(WIDE.repeat(60), 100)).isEqualTo(WIDE.repeat(48) + "...");
  }

  @Test
  void cut_marks_countNothingAndStayWithTheirCharacter() {
    assertThat(DisplayWidth.cut(MARKED.repeat(100), 100)).isEqualTo(MARKED.repeat(100));
    assertThat(DisplayWidth.cut(MARKED.repeat(101), 100)).isEqualTo(MARKED.repeat(97) + "...");
  }

  @Test
  void cut_emojiAtTheEdge_isWholeOrLeftOut() {
    assertThat(DisplayWidth.cut("a".repeat(98) + EMOJI, 100)).isEqualTo("a".repeat(98) + EMOJI);
    assertThat(DisplayWidth.cut("a".repeat(95) + EMOJI + "abcd", 100))
        .isEqualTo("a".repeat(95) + EMOJI + "...");
    assertThat(DisplayWidth.cut("a".repeat(96) + EMOJI + "abcd", 100))
        .isEqualTo("a".repeat(96) + "...");
  }
}
