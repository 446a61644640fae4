package io.punctual.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.punctual.Durability;
import java.time.Duration;
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

  @Test
  void options_areReadAsWhatTheyAre() {
    StoreUrl url = StoreUrl.parse("redis://h?short=500ms&long=2H&count=8&on=true&off=false");

    assertThat(url.time("short")).contains(Duration.ofMillis(500));
    assertThat(url.time("long")).contains(Duration.ofHours(2));
    assertThat(url.number("count")).contains(8);
    assertThat(url.flag("on")).contains(true);
    assertThat(url.flag("off")).contains(false);
    assertThat(url.time("none")).isEmpty();
    assertThat(url.number("none")).isEmpty();
    assertThat(url.flag("none")).isEmpty();
  }

  @Test
  void options_thatAreSomethingElse_areNamed() {
    StoreUrl url = StoreUrl.parse("redis://h?wait=5&count=many&big=99999999999&on=yes");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.time("wait"))
        .withMessageContaining("wait must be a number with ms, s, m or h");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.number("count"))
        .withMessage("count must be a number, but was 'many'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.number("big"))
        .withMessage("big must be a number, but was '99999999999'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.flag("on"))
        .withMessage("on must be true or false, but was 'yes'");
  }
}
