package io.punctual.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.punctual.Durability;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUrlTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://u:SECRET?SECRET@h",
        "redis://u:p?SECRET=SECRET@h",
        "redis://u:p?a=SECRET@h&b",
        "redis://u:p?SECRET",
        "redis://h?a=%SECRET",
        "redis://h?%ZZSECRET=a",
      })
  void parse_questionMarkOrPercentInAPassword_doesNotShowIt(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse(url))
        .satisfies(e -> assertThat(e).hasNoCause())
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("SECRET", "SE"));
  }

  @Test
  void toString_passwords_areNotShown() {
    assertThat(StoreUrl.parse("redis://u:SECRET@h?password=SECRET").toString())
        .contains("redis")
        .doesNotContain("SECRET");
  }

  @Test
  void parse_durabilityWithAPlus_isThatDurability() {
    String text = new Durability(true, 2).toString();
    StoreUrl url = StoreUrl.parse("redis://localhost?durability=" + text + "&name=a%20b");
    assertThat(url.options()).isEqualTo(Map.of("durability", "aof+replicas:2", "name", "a b"));
  }
}
