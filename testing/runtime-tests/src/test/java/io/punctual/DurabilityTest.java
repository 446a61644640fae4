package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurabilityTest {
  @ParameterizedTest
  @ValueSource(strings = {"none", "aof", "replicas:2", "aof+replicas:1"})
  void parse_aForm_readsBackTheSame(String text) {
    assertThat(Durability.parse(text)).hasToString(text);
  }

  @Test
  void parse_forms_meanWhatTheySay() {
    assertThat(Durability.parse("none")).isEqualTo(Durability.NONE);
    assertThat(Durability.parse("aof+replicas:3")).isEqualTo(new Durability(true, 3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "all", "replicas", "replicas:", "replicas:-1", "aof+", "aof+aof"})
  void parse_anythingElse_namesTheForms(String text) {
    assertThatThrownBy(() -> Durability.parse(text)).hasMessageContaining("aof+replicas:N");
  }

  @Test
  void parse_tooManyReplicas_saysTheRange() {
    assertThatThrownBy(() -> Durability.parse("replicas:101")).hasMessageContaining("0 and 100");
  }
}
