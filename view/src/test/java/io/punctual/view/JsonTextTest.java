package io.punctual.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        " true ",
        "\"\"",
        "0",
        "-0",
        "-12.50e+3",
        "1E9",
        "[1,[2,{\"a\":[]}]]",
        "{\"a\":1,\"a\":2}",
        "\"\\ud83d\\ude00\"",
        "\"😀\"",
        "\n[\r\n1\t]\n",
        "\"\\u0000\"",
        "\"\u007f\""
      })
  void json_isJson(String text) {
    assertThat(JsonText.of(text)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "tru",
        "nul",
        "True",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "NaN",
        "[1,]",
        "[,]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "'a'",
        "\"",
        "\"a",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"\u0001\"",
        "\"a\nb\"",
        "1 2",
        "{} x",
        "[1",
        "{\"a\":1",
        "\"\\ud800\"",
        "\"\\ude00\"",
        "\"\\ud800x\"",
        "1e1234567890",
        "\ufeff1",
        "\u00a01",
        "// 1"
      })
  void otherText_isNoJson(String text) {
    assertThat(JsonText.of(text)).isEmpty();
  }

  @Test
  void deepOrLongJson_isNoJson_andOverflowsNoStack() {
    assertThat(JsonText.of("[".repeat(401) + "]".repeat(401))).isPresent();
    assertThat(JsonText.of("[".repeat(402) + "]".repeat(402))).isEmpty();
    assertThat(JsonText.of("[".repeat(10_000_000))).isEmpty();
    assertThat(JsonText.of("1".repeat(1000))).isPresent();
    assertThat(JsonText.of("1".repeat(1001))).isEmpty();
  }

  @Test
  void text_isOnOneLine_andKeepsItsDigits() {
    JsonText json = JsonText.of("\n{\"a\":\r\n 1.10,\"b\":12345678901234567890}\n").orElseThrow();
    assertThat(json.text()).isEqualTo("{\"a\":   1.10,\"b\":12345678901234567890}");
  }

  @Test
  void value_hasTheContent() {
    Object value =
        JsonText.of(
                "{\"a\":[1,-2.50,1e3,null,true,\"\\n"
                    + "\\u00e4\"],\"b\":{},\"n\":12345678901234567890,\"z\":-0}")
            .orElseThrow()
            .value();
    assertThat(value)
        .isEqualTo(
            Map.of(
                "a",
                Arrays.asList(
                    1L, new BigDecimal("-2.50"), new BigDecimal("1e3"), null, true, "\nä"),
                "b",
                Map.of(),
                "n",
                new BigInteger("12345678901234567890"),
                "z",
                -0.0));
    assertThat(Tree.plain(Map.of("x", List.of(JsonText.of("[1]").orElseThrow()))))
        .isEqualTo(Map.of("x", List.of(List.of(1L))));
  }
}
