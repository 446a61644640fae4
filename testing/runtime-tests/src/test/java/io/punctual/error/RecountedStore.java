package io.punctual.error;

import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * A store whose queues change their number of partitions. All partitions of a queue are views of
 * the one partition of the store inside, so the messages stay when the number changes.
 */
final class RecountedStore {
  private final Store inside;
  private int count;

  RecountedStore(Store inside, int count) {
    this.inside = inside;
    this.count = count;
  }

  /** Changes the number of partitions; the earlier partitions refuse calls from now on. */
  void recount(int next) {
    count = next;
  }

  Store store() {
    return proxy(
        Store.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "partitions" -> partitions((String) arguments[0]);
              case "untilNext" -> untilNext((List<?>) arguments[0]);
              default -> method.invoke(inside, arguments);
            });
  }

  private CompletableFuture<List<Partition>> partitions(String queue) {
    Partition only = inside.partitions(queue).toCompletableFuture().join().get(0);
    int those = count;
    return CompletableFuture.completedFuture(
        IntStream.range(0, those).mapToObj(index -> view(only, index, those)).toList());
  }

  private Object untilNext(List<?> views) {
    return inside.untilNext(
        views.stream()
            .map(each -> inside.partitions(((Partition) each).queue()))
            .map(each -> each.toCompletableFuture().join().get(0))
            .toList());
  }

  private Partition view(Partition only, int index, int of) {
    return proxy(
        Partition.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "index" -> index;
              case "openSession", "call" ->
                  of == count
                      ? method.invoke(only, arguments)
                      : CompletableFuture.failedStage(
                          new Partition.PartitionCountException(count, null));
              default -> method.invoke(only, arguments);
            });
  }

  /** The behaviour of a proxy. */
  private interface Answers {
    Object to(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Answers answers) {
    InvocationHandler handler =
        (self, method, arguments) -> {
          try {
            return answers.to(method, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
