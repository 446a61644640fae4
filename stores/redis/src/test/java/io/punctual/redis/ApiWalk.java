package io.punctual.redis;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.Durability;
import io.punctual.Handler;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.QueueQuery;
import io.punctual.Receipt;
import io.punctual.RetryPolicy;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.Transaction;
import io.punctual.WorkerAnnouncement;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadHandler;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.TaskOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists and calls the public methods of an API type. The types of a method's parameters determine
 * its arguments. A parameter of an unknown type fails the test, so that no new method is left out
 * unnoticed.
 */
final class ApiWalk {
  /** The result of a call: its value, or its failure. */
  record End(Method method, @Nullable Object value, @Nullable Throwable failure) {}

  private static final Instant BEGIN = Instant.parse("2040-01-01T00:00:00Z");

  private static final Map<Class<?>, Supplier<?>> ARGUMENTS =
      Map.ofEntries(
          Map.entry(String.class, () -> "some-" + Names.next()),
          Map.entry(int.class, () -> 1),
          Map.entry(Object.class, () -> "payload"),
          Map.entry(Duration.class, () -> Duration.ofMillis(100)),
          Map.entry(Instant.class, () -> BEGIN.plusSeconds(Names.next())),
          Map.entry(Codec.class, Codec::string),
          Map.entry(Message.class, () -> Message.of("payload")),
          Map.entry(Collection.class, () -> List.of(Message.of("payload"), Message.of("other"))),
          Map.entry(IfPresent.class, () -> IfPresent.REPLACE),
          Map.entry(Due.class, Due::now),
          Map.entry(MessageQuery.class, () -> MessageQuery.of(State.READY)),
          Map.entry(QueueQuery.class, () -> QueueQuery.of("orders")),
          Map.entry(ClaimOptions.class, () -> ClaimOptions.DEFAULT.maxWait(Duration.ofMillis(100))),
          Map.entry(DeadLetterQuery.class, DeadLetterQuery::all),
          Map.entry(PauseNote.class, () -> new PauseNote("a reason", "a name")),
          Map.entry(QueueLimits.class, () -> QueueLimits.none().concurrency(100)),
          Map.entry(State.class, () -> State.READY),
          Map.entry(Set.class, () -> Set.of(State.DEAD)),
          Map.entry(DeadLetterFilter.class, () -> DeadLetterFilter.ALL),
          Map.entry(
              DeadLetterRetention.class, () -> DeadLetterRetention.KEEP_ALL.withMaxCount(1000)),
          Map.entry(MessageFilter.class, () -> MessageFilter.ALL),
          Map.entry(MessageChange.class, MessageChange::runNow),
          Map.entry(TaskOptions.class, () -> TaskOptions.DEFAULT),
          Map.entry(WorkerAnnouncement.class, () -> WorkerAnnouncement.of("orders", "some")),
          Map.entry(Durability.class, () -> Durability.NONE),
          Map.entry(WorkerOptions.class, () -> WorkerOptions.DEFAULT),
          Map.entry(RetryPolicy.class, () -> RetryPolicy.DEFAULT),
          Map.entry(DeadHandler.class, () -> (DeadHandler<?>) (delivery, reason, failure) -> {}),
          Map.entry(Runnable.class, () -> (Runnable) () -> {}),
          Map.entry(Handler.class, () -> (Handler<?>) delivery -> {}),
          Map.entry(BatchHandler.class, () -> (BatchHandler<?>) deliveries -> {}),
          Map.entry(
              AsyncHandler.class,
              () -> (AsyncHandler<?>) delivery -> CompletableFuture.completedFuture(null)));

  private static final class Names {
    private static final AtomicInteger LAST = new AtomicInteger();

    static int next() {
      return LAST.incrementAndGet();
    }
  }

  private ApiWalk() {}

  /**
   * Returns the methods to call on a type, in a fixed order. Leaves out static methods, the methods
   * of Object, and methods with transactions, which this store does not support.
   */
  static List<Method> methods(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !method.isBridge())
        .filter(method -> !List.of(method.getParameterTypes()).contains(Transaction.class))
        .sorted(Comparator.comparing(Method::toString))
        .toList();
  }

  /** Calls a method, and waits for its result if it returns a stage. */
  static End call(Object on, Method method) throws InterruptedException {
    Object[] arguments =
        Arrays.stream(method.getGenericParameterTypes()).map(ApiWalk::argument).toArray();
    try {
      Object value = method.invoke(on, arguments);
      if (value instanceof CompletionStage<?> stage) {
        value = stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
      }
      return new End(method, value, null);
    } catch (InvocationTargetException | ExecutionException e) {
      return new End(method, null, e.getCause());
    } catch (IllegalAccessException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError("can't call " + method, e);
    }
  }

  private static Object argument(Type type) {
    return switch (type.getTypeName()) {
      case "java.util.Collection<java.lang.String>" -> List.of("some-id", "other-id");
      case "java.util.Collection<? extends io.punctual.Settlement>" ->
          List.of(new Settlement.Ack(new Receipt("some-id", "1.1")));
      default -> argument(raw(type));
    };
  }

  private static Class<?> raw(Type type) {
    if (type instanceof Class<?> raw) {
      return raw;
    }
    return type instanceof ParameterizedType of ? (Class<?>) of.getRawType() : Object.class;
  }

  private static Object argument(Class<?> type) {
    Supplier<?> argument = ARGUMENTS.get(type);
    if (argument == null) {
      throw new AssertionError("say in ARGUMENTS what to pass for a " + type);
    }
    return argument.get();
  }
}
