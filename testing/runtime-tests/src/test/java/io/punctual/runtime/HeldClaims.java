package io.punctual.runtime;

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

/**
 * Makes stores that hold their replies to some calls, by default claims, until the test releases
 * them.
 */
final class HeldClaims {
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private final Predicate<Call.Body> isHeld;

  HeldClaims() {
    this(body -> body instanceof Call.Claim);
  }

  HeldClaims(Predicate<Call.Body> isHeld) {
    this.isHeld = isHeld;
  }

  /** Delivers all held replies. */
  void answer() {
    for (Runnable next = held.poll(); next != null; next = held.poll()) {
      next.run();
    }
  }

  /** Delivers the oldest held reply. */
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
