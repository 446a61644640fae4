package io.punctual.rabbitmq;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A memory store that a test can make unreachable. Thread-safe. */
final class SwitchedStore {
  private final MemoryStore store = MemoryStore.builder().build();
  private final IdentityHashMap<Object, Partition> originals = new IdentityHashMap<>();
  private volatile boolean away;

  void away(boolean wanted) {
    away = wanted;
  }

  Store store() {
    return proxy(Store.class, (proxy, method, arguments) -> callStore(method, arguments));
  }

  private Object callStore(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("partitions")) {
      return store.partitions((String) arguments[0]).thenApply(this::switched);
    }
    if (method.getName().equals("untilNext")) {
      return away ? failed() : store.untilNext(unwrapped((List<?>) arguments[0]));
    }
    return invoke(store, method, arguments);
  }

  private synchronized List<Partition> switched(List<Partition> partitions) {
    List<Partition> all = new ArrayList<>();
    for (Partition partition : partitions) {
      Partition switched =
          proxy(
              Partition.class,
              (proxy, method, arguments) ->
                  away && CompletionStage.class.isAssignableFrom(method.getReturnType())
                      ? failed()
                      : invoke(partition, method, arguments));
      originals.put(switched, partition);
      all.add(switched);
    }
    return all;
  }

  private synchronized List<Partition> unwrapped(List<?> switched) {
    return switched.stream().map(originals::get).toList();
  }

  private static CompletionStage<?> failed() {
    return CompletableFuture.failedStage(new Partition.NotSentException("away", null));
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <P> P proxy(Class<P> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
