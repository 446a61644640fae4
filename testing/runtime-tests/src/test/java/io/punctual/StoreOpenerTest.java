package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that {@link Startup} applies to a store that the application opens itself, as it does to a
 * store with a URL.
 */
class StoreOpenerTest {
  private final AtomicInteger calls = new AtomicInteger();

  private Store openAtThirdCall() {
    if (calls.incrementAndGet() < 3) {
      throw new StoreUnavailableException("not yet", null);
    }
    return MemoryStore.builder().build();
  }

  private PunctualBuilder client() {
    return Punctual.builder().store("mine:", this::openAtThirdCall);
  }

  @Test
  void open_contextLoaderLacksTheStores_findsThemAllTheSame() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try (Punctual punctual = Punctual.open("memory:")) {
      assertThat(punctual.queue("q", Codec.string()).name()).isEqualTo("q");
    } finally {
      thread.setContextClassLoader(before);
    }
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
        .hasMessage(
            "Set exactly one of PunctualBuilder.url, store(Store) and store(String, Supplier)");
  }

  @Test
  void opener_andStore_isRejected() {
    try (Store store = MemoryStore.builder().build()) {
      assertThatThrownBy(() -> client().store(store).build())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "Set exactly one of PunctualBuilder.url, store(Store) and store(String, Supplier)");
    }
  }

  @ParameterizedTest
  @EnumSource(Startup.class)
  void opener_returnsNull_isRejectedAtOnce(Startup startup) {
    assertThatThrownBy(
            () -> {
              Punctual.builder().store("mine:", () -> null).startup(startup).build().close();
            })
        .isInstanceOf(NullPointerException.class)
        .hasMessage("The opener of mine: returned null; it must return an open store");
  }
}
