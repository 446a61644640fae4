package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;

/** Tests checks of queues that fail. */
class QueueWatchTest {
  private static final String UNCOUNTABLE = "a-large-queue";

  /** Returns a store that answers, but not to the question for the messages of one queue. */
  private static Store store() {
    MemoryStore memory = MemoryStore.builder().build();
    return proxy(
        Store.class,
        memory,
        "partitions",
        arguments ->
            memory
                .partitions((String) arguments[0])
                .thenApply(all -> all.stream().map(QueueWatchTest::partition).toList()));
  }

  private static Partition partition(Partition memory) {
    return memory.queue().equals(UNCOUNTABLE)
        ? proxy(
            Partition.class,
            memory,
            "counts",
            arguments ->
                CompletableFuture.failedFuture(new StoreUnavailableException("too slow", null)))
        : memory;
  }

  private interface Answer {
    CompletionStage<?> to(Object[] arguments);
  }

  private static <T> T proxy(Class<T> type, T target, String method, Answer answer) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              try {
                return called.getName().equals(method)
                    ? answer.to(arguments)
                    : called.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  @Test
  void check_oneQueueCannotBeCounted_checksTheOthers() {
    QueueWatch watch = new QueueWatch(new Clients(null));
    try (Punctual punctual = Punctual.builder().store(store()).observer(watch).build()) {
      for (String queue : List.of(UNCOUNTABLE, "orders")) {
        punctual.queue(queue, Codec.string()).schedule("text", Duration.ZERO);
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                watch.check(punctual, Duration.ZERO);
                return watch.unworkedQueues().contains("orders");
              });
    }
  }

  @Test
  void check_errorOfTheClient_doesNotEndTheChecks() {
    QueueWatch watch = new QueueWatch(new Clients(new OutOfMemoryError("no thread")));
    assertThatCode(watch::check).doesNotThrowAnyException();
  }

  /** Fails when it is asked for the client. */
  private record Clients(Error failure) implements ObjectProvider<Punctual> {
    @Override
    public Punctual getObject() {
      throw failure;
    }

    @Override
    public void ifUnique(Consumer<Punctual> consumer) {
      throw failure;
    }
  }
}
