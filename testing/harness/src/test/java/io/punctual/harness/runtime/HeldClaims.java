package io.punctual.harness.runtime;

import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** A store whose replies to some calls, for example claims, arrive when the test says so. */
final class HeldClaims {
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private final Predicate<Call.Body> isHeld;

  HeldClaims() {
    this(body -> body instanceof Call.Claim);
  }

  HeldClaims(Predicate<Call.Body> isHeld) {
    this.isHeld = isHeld;
  }

  /** Delivers the replies so far. */
  void answer() {
    for (Runnable next = held.poll(); next != null; next = held.poll()) {
      next.run();
    }
  }

  /** Delivers the oldest reply. */
  void answerNext() {
    held.remove().run();
  }

  Store of(Store store) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result).thenApply(all -> partitions((List<?>) all))
              : result;
        });
  }

  private List<Partition> partitions(List<?> all) {
    return all.stream().map(each -> partition((Partition) each)).toList();
  }

  private Partition partition(Partition partition) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          Object result = method.invoke(partition, args);
          return method.getName().equals("call") && isHeld.test(((Call) args[0]).body())
              ? later((CompletionStage<?>) result)
              : result;
        });
  }

  private <T> CompletionStage<T> later(CompletionStage<T> reply) {
    CompletableFuture<T> later = new CompletableFuture<>();
    held.add(() -> later.complete(reply.toCompletableFuture().join()));
    return later;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
