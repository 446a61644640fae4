package io.punctual.memory;

import static io.punctual.memory.PartitionClient.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class MemoryStoreProviderTest {
  private static final DueTimer UNUSED =
      new DueTimer() {
        @Override
        public long nanoTime() {
          throw new AssertionError("The memory store has nothing to wait for");
        }

        @Override
        public Timeout schedule(long delayNanos, Runnable task) {
          throw new AssertionError("The memory store has nothing to wait for");
        }
      };

  private final MemoryStoreProvider provider = new MemoryStoreProvider();

  @Test
  void schemes_foundByServiceLoader_isMemory() {
    assertThat(ServiceLoader.load(StoreProvider.class))
        .hasAtLeastOneElementOfType(MemoryStoreProvider.class);
    assertThat(provider.schemes()).containsExactly("memory");
  }

  @Test
  void open_plainUrl_hasOnePartition() {
    try (Store store = open("memory:")) {
      assertThat(store.describe()).isEqualTo("memory:");
      assertThat(join(store.partitions("q"))).hasSize(1);
    }
  }

  @Test
  void open_partitions_hasAsMany() {
    try (Store store = open("memory:?partitions=4")) {
      assertThat(join(store.partitions("q"))).hasSize(4);
    }
  }

  @Test
  void open_whatItDoesNotKnow_isRefusedAndNamed() {
    assertRefused("memory:?size=4", "size");
    assertRefused("memory:?partitions=many", "many");
    assertRefused("memory:?partitions=0", "0");
    assertRefused("memory://localhost", "//localhost");
  }

  private Store open(String url) {
    return provider.open(StoreUrl.parse(url), UNUSED);
  }

  private void assertRefused(String url, String named) {
    assertThatThrownBy(() -> open(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(named);
  }
}
