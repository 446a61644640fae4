package io.punctual.runtime;

import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Makes stores that record the names of the requests to their partitions. */
final class RecordedRequests {
  private RecordedRequests() {}

  static Store of(Store store, Collection<String> requests) {
    return failing(store, requests, "");
  }

  /** Returns a store whose requests with this name fail. */
  static Store failing(Store store, Collection<String> requests, String name) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result)
                  .thenApply(
                      all ->
                          ((List<?>) all)
                              .stream().map(each -> partition(each, requests, name)).toList())
              : result;
        });
  }

  private static Partition partition(Object partition, Collection<String> requests, String name) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          if (CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            requests.add(method.getName());
          }
          return method.getName().equals(name)
              ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
              : method.invoke(partition, args);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
