package io.punctual.testkit.runtime;

import io.punctual.spi.Call;
import io.punctual.spi.Lane;
import io.punctual.spi.Store;
import io.punctual.testkit.ManualClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store whose answers to claims take a while. */
final class SlowAnswers {
  private SlowAnswers() {}

  static Store of(Store store, ManualClock clock, Duration takes) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("lanes")
              ? ((CompletionStage<?>) result)
                  .thenApply(lanes -> slow((List<?>) lanes, clock, takes))
              : result;
        });
  }

  private static List<Lane> slow(List<?> lanes, ManualClock clock, Duration takes) {
    return lanes.stream().map(lane -> slow((Lane) lane, clock, takes)).toList();
  }

  private static Lane slow(Lane lane, ManualClock clock, Duration takes) {
    return proxy(
        Lane.class,
        (proxy, method, args) -> {
          Object result = method.invoke(lane, args);
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
