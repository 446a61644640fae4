package io.punctual.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Durability;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoreUrlTest {
  @Test
  void parse_durabilityWithAPlus_isThatDurability() {
    String text = new Durability(true, 2).toString();
    StoreUrl url = StoreUrl.parse("redis://localhost?durability=" + text + "&name=a%20b");
    assertThat(url.options()).isEqualTo(Map.of("durability", "aof+replicas:2", "name", "a b"));
  }
}
