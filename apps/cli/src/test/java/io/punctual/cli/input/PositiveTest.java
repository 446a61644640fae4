package io.punctual.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Tests whole numbers as the values of options. */
final class PositiveTest {
  private final Positive.IntConverter ints = new Positive.IntConverter();
  private final Positive.LongConverter longs = new Positive.LongConverter();

  @Test
  void convert_positiveNumber_isRead() {
    assertThat(ints.convert("1")).isOne();
    assertThat(ints.convert("2147483647")).isEqualTo(Integer.MAX_VALUE);
    assertThat(longs.convert("2147483648")).isEqualTo(1L << 31);
    assertThat(longs.convert("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "", "ten", "1.5", "9223372036854775808"})
  void convert_anythingElse_isRefused(String text) {
    assertThatThrownBy(() -> ints.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("'" + text + "' is not a whole number between 1 and 2147483647");
    assertThatThrownBy(() -> longs.convert(text)).isInstanceOf(TypeConversionException.class);
  }

  @Test
  void convert_numberAboveInt_isRefusedForInt() {
    assertThatThrownBy(() -> ints.convert("2147483648"))
        .isInstanceOf(TypeConversionException.class);
  }
}
