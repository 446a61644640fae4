package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Punctual;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An option without an effect is refused, and the exception says what to do. */
class InapplicableOptionsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:inapplicable?listen=true",
        "jdbc:h2:mem:inapplicable;LISTEN=FALSE",
        "jdbc:mariadb://localhost/queues?listen=true"
      })
  void listenWithoutNotifications_isRefused(String url) {
    assertThatThrownBy(() -> Punctual.open(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("listen is only for PostgreSQL")
        .hasMessageContaining("leave it out");
  }
}
