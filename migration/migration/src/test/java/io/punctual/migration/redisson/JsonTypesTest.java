package io.punctual.migration.redisson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTypesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"@class\":\"com.shop.Order\",\"id\":1} | {\"id\":1}",
        "{\"@class\":\"com.shop.Order\"} | {}",
        "{\"lines\":[\"java.util.ArrayList\",[1,2]]} | {\"lines\":[1,2]}",
        "{\"colour\":[\"com.shop.Order$Colour\",\"RED\"]} | {\"colour\":\"RED\"}",
        "[\"java.lang.Long\",5] | 5",
        "[\"[Ljava.lang.String;\",[\"a\"]] | [\"a\"]",
        "[\"[I\",[1]] | [1]",
        "[\"java.util.ArrayList\",[{\"@class\":\"a.B\",\"c\":[\"a.D\",1]}]] | [{\"c\":1}]",
        "[\"www.example.com\",\"x\"] | [\"www.example.com\",\"x\"]",
        "[\"java.util.ArrayList\",1,2] | [\"java.util.ArrayList\",1,2]",
        "[\"Order\",1] | [\"Order\",1]",
        "{\"id\":1,\"@class\":\"com.shop.Order\"} | {\"id\":1,\"@class\":\"com.shop.Order\"}",
        "{\"@class\":1} | {\"@class\":1}",
        "1.10 | 1.10",
        "12345678901234567890.123456789012345678901234567890 |"
            + " 12345678901234567890.123456789012345678901234567890",
        "\"q\\\"\\n\" | \"q\\\"\\n\"",
        "null | null",
        "[] | []"
      })
  void removed_leavesTheValue(String given, String expected) {
    assertThat(JsonTypes.removed(given.getBytes(UTF_8))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{} {}", "nul", "\u0001", "{\"a\":}", "'x'"})
  void removed_ofOtherText_fails(String given) {
    assertThatThrownBy(() -> JsonTypes.removed(given.getBytes(UTF_8)))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void removed_ofDeepJson_fails_withoutAStackOverflow() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);

    assertThatThrownBy(() -> JsonTypes.removed(deep.getBytes(UTF_8)))
        .isInstanceOf(RuntimeException.class);
  }
}
