package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the look-up of a queue while the store is unavailable, and afterwards. */
class QueueLookUpTest {
  private final MemoryStore memory = MemoryStore.builder().build();
  private CompletableFuture<List<Partition>> partitions = new CompletableFuture<>();

  /** Returns a store whose look-ups of queues have the result that the test sets. */
  private Store store() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("partitions")) {
                return partitions;
              }
              try {
                return method.invoke(memory, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void queue_lookUpFailedBefore_asksAgainAtOnce() {
    try (Punctual punctual = Punctual.builder().store(store()).build()) {
      CompletableFuture<List<Partition>> first = partitions;
      first.completeExceptionally(new Partition.NotSentException("connection refused", null));
      assertThatThrownBy(() -> punctual.queue("orders", Codec.string()))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("orders")
          .hasMessageContaining("connection refused");
      partitions = memory.partitions("orders").toCompletableFuture();
      assertThat(punctual.queue("orders", Codec.string()).name()).isEqualTo("orders");
    }
  }

  @Test
  void queue_lookUpThrows_saysSoAndAsksAgain() {
    try (Punctual punctual = Punctual.builder().store(store()).build()) {
      partitions = CompletableFuture.failedFuture(new IllegalStateException("a bug of the store"));
      assertThatThrownBy(() -> punctual.queue("orders", Codec.string()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("a bug of the store");
      partitions = memory.partitions("orders").toCompletableFuture();
      assertThat(punctual.queue("orders", Codec.string()).name()).isEqualTo("orders");
    }
  }
}
