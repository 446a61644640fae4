package io.punctual.spring.boot.test;

import io.punctual.Transaction;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory that takes part in transactions, for tests of code that schedules and acks in
 * its own transaction. The changes of a transaction take effect after its commit, and never after a
 * rollback. Thread-safe.
 */
final class TransactionalStore implements InvocationHandler {
  private final Store memory;
  private final Set<Capability> capabilities;

  /** The partition in memory of each partition that this store has returned. */
  private final Map<Partition, Partition> originals = new ConcurrentHashMap<>();

  private final Map<Partition, Partition> joining = new ConcurrentHashMap<>();

  private TransactionalStore(Store memory) {
    this.memory = memory;
    Set<Capability> all = EnumSet.copyOf(memory.capabilities());
    all.add(Capability.TRANSACTIONS);
    capabilities = Set.copyOf(all);
  }

  static Store of(Store memory) {
    return proxy(Store.class, new TransactionalStore(memory));
  }

  private static <P> P proxy(Class<P> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    return switch (method.getName()) {
      case "capabilities" -> capabilities;
      case "partitions" -> partitions(call(memory, method, arguments));
      case "untilNext" -> memory.untilNext(originals((List<?>) first(arguments)));
      default -> call(memory, method, arguments);
    };
  }

  private CompletionStage<?> partitions(@Nullable Object stage) {
    CompletionStage<?> found = (CompletionStage<?>) Objects.requireNonNull(stage);
    return found.thenApply(all -> ((List<?>) all).stream().map(this::joining).toList());
  }

  private static Object first(@Nullable Object @Nullable [] arguments) {
    return Objects.requireNonNull(Objects.requireNonNull(arguments)[0]);
  }

  private Partition joining(Object partition) {
    return joining.computeIfAbsent((Partition) partition, this::create);
  }

  private Partition create(Partition original) {
    TransactionalChanges changes = new TransactionalChanges(original);
    Partition created =
        proxy(
            Partition.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "applyIn" -> applyIn(changes, arguments);
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> call(original, method, arguments);
                });
    originals.put(created, original);
    return created;
  }

  private static List<Outcome> applyIn(TransactionalChanges changes, Object[] arguments) {
    List<Operation> operations = new ArrayList<>();
    ((List<?>) arguments[1]).forEach(each -> operations.add((Operation) each));
    return changes.join((Transaction) arguments[0], operations);
  }

  private List<Partition> originals(List<?> partitions) {
    return partitions.stream().map(originals::get).toList();
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
