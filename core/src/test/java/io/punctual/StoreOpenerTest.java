package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A store that the application opens itself has the start of a store with a URL. */
class StoreOpenerTest {
  private final AtomicInteger calls = new AtomicInteger();

  private Store openAtThirdCall() {
    if (calls.incrementAndGet() < 3) {
      throw new StoreUnavailableException("not yet", null);
    }
    return MemoryStore.builder().build();
  }

  private Punctual.Builder client() {
    return Punctual.builder().store("mine:", this::openAtThirdCall);
  }

  @Test
  void opener_failsAtOnce() {
    assertThatThrownBy(() -> client().build()).hasMessage("not yet");
    assertThat(calls).hasValue(1);
  }

  @Test
  void opener_waitsForTheStore() {
    try (Punctual punctual = client().startup(Startup.WAIT).build()) {
      assertThat(punctual.queue("a", Codec.string()).schedule("x", Duration.ZERO).isStored())
          .isTrue();
    }
  }

  @Test
  void opener_andUrl_isRejected() {
    assertThatThrownBy(() -> client().url("memory:").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not both");
  }
}
