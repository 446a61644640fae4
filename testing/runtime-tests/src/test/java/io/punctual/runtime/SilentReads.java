package io.punctual.runtime;

import io.punctual.Punctual;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Makes clients whose listings of messages are answered only when a test says so. */
final class SilentReads {
  private final ManualWorld world;
  private final Queue<Runnable> asked = new ArrayDeque<>();

  SilentReads(ManualWorld world) {
    this.world = world;
  }

  Punctual client() {
    Store store =
        proxy(
            Store.class,
            (proxy, method, args) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              Object result = method.invoke(world.store, args);
              return method.getName().equals("partitions")
                  ? ((CompletionStage<?>) result)
                      .thenApply(all -> ((List<?>) all).stream().map(this::silent).toList())
                  : result;
            });
    return Punctual.builder().store(store).timer(world.clock).build();
  }

  /** Answers so many listings, also those that are asked meanwhile. */
  void answer(int count) {
    for (int i = 0; i < count; i++) {
      asked.remove().run();
    }
  }

  private Partition silent(Object partition) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          if (!method.getName().equals("browse")) {
            return method.invoke(partition, args);
          }
          CompletableFuture<Object> answer = new CompletableFuture<>();
          asked.add(
              () -> {
                try {
                  CompletionStage<?> unused =
                      ((CompletionStage<?>) method.invoke(partition, args))
                          .thenAccept(answer::complete);
                } catch (IllegalAccessException | InvocationTargetException e) {
                  answer.completeExceptionally(e);
                }
              });
          return answer;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
