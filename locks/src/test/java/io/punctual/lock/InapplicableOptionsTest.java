package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Durability;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An option without an effect is refused, and the exception says what to do. */
class InapplicableOptionsTest {
  static Stream<Consumer<RedisLocksBuilder>> options() {
    return Stream.of(
        server -> server.lease(Duration.ofSeconds(2)),
        server -> server.durability(Durability.parse("replicas:1")),
        server -> server.url("redis://localhost?durability=aof"));
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionOfAServerOfAQuorum_isRefused(Consumer<RedisLocksBuilder> option) {
    RedisLocksBuilder server = RedisLocks.builder();
    option.accept(server);
    assertThatThrownBy(
            () ->
                QuorumLocks.open(
                    List.of(RedisLocks.builder(), RedisLocks.builder(), server),
                    Duration.ofSeconds(30)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leave them out")
        .hasMessageContaining("withLease");
  }
}
