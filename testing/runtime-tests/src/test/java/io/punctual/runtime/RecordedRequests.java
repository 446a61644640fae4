package io.punctual.runtime;

import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Makes stores that record the names of the requests to their partitions. */
final class RecordedRequests {
  private RecordedRequests() {}

  static Store of(Store store, Collection<String> requests) {
    return failing(store, requests, "");
  }

  static Store failing(Store store, Collection<String> requests, String name) {
    RuntimeException failure = new IllegalStateException("no answer");
    return failing(store, requests, (called, args) -> called.equals(name) ? failure : null);
  }

  /**
   * @param failures returns the failure of a request with this name and these arguments, or null
   */
  static Store failing(
      Store store,
      Collection<String> requests,
      BiFunction<String, Object[], @Nullable RuntimeException> failures) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result)
                  .thenApply(
                      all ->
                          ((List<?>) all)
                              .stream().map(each -> partition(each, requests, failures)).toList())
              : result;
        });
  }

  private static Partition partition(
      Object partition,
      Collection<String> requests,
      BiFunction<String, Object[], @Nullable RuntimeException> failures) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          if (CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            requests.add(method.getName());
          }
          RuntimeException failure = failures.apply(method.getName(), args);
          return failure == null
              ? method.invoke(partition, args)
              : CompletableFuture.failedFuture(failure);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
