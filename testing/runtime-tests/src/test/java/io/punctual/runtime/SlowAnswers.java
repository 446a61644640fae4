package io.punctual.runtime;

import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Makes stores that answer claims slowly: each claim advances the manual clock. */
final class SlowAnswers {
  private SlowAnswers() {}

  static Store of(Store store, ManualClock clock, Duration takes) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result)
                  .thenApply(partitions -> slow((List<?>) partitions, clock, takes))
              : result;
        });
  }

  private static List<Partition> slow(List<?> partitions, ManualClock clock, Duration takes) {
    return partitions.stream().map(partition -> slow((Partition) partition, clock, takes)).toList();
  }

  private static Partition slow(Partition partition, ManualClock clock, Duration takes) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          Object result = method.invoke(partition, args);
          if (method.getName().equals("call") && ((Call) args[0]).body() instanceof Call.Claim) {
            clock.advance(takes);
          }
          return result;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
