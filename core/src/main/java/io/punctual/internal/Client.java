package io.punctual.internal;

import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import io.punctual.spi.Lane;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind a {@code Punctual}: the store, a session with each lane in use, the safety
 * check, and all that takes messages. Thread-safe.
 */
public final class Client {
  private static final Duration FLUSH = Duration.ofSeconds(3);

  private final Store store;
  private final Environment env;
  private final Runnable afterClose;
  private final StoreHealth health;
  private final MadeIds madeIds;
  private final String clientId;
  private final SafetyCheck safetyCheck;
  private final Map<String, CompletableFuture<QueueLanes>> queues = new ConcurrentHashMap<>();
  private final Map<QueueLanes, LaneCorrection> corrections = new ConcurrentHashMap<>();

  /** In the order in which they came, so that what a simulation does depends on no hash codes. */
  private final Set<Closeable> takers = Collections.synchronizedSet(new LinkedHashSet<>());

  private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> closing =
      new AtomicReference<>();

  /** Something that takes messages and must end before the sessions do. */
  interface Closeable {
    /** Ends it; null means with its own grace. Completes when it has ended. */
    CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace);

    /** A queue has other lanes than this client believed. */
    void corrected(QueueLanes lanes);

    /** Returns whether the calling thread runs one of its handlers. */
    default boolean isOnThisThread() {
      return false;
    }
  }

  /**
   * Creates a client.
   *
   * @param afterClose runs at the end of closing
   */
  public Client(Store store, Environment env, Runnable afterClose) {
    this.store = store;
    this.env = env;
    this.afterClose = afterClose;
    this.health = new StoreHealth(store.describe(), env);
    this.madeIds = new MadeIds(env.clock(), env.random());
    this.clientId = clientId(env.randomGenerator());
    this.safetyCheck = new SafetyCheck(store, env);
  }

  private static String clientId(RandomGenerator random) {
    StringBuilder id = new StringBuilder(16);
    while (id.length() < 16) {
      id.append(Character.forDigit(random.nextInt(36), 36));
    }
    return id.toString();
  }

  /**
   * Returns a view of a queue; waits for the store if it must be asked.
   *
   * @param wantedLanes how many lanes the queue gets if it does not exist yet
   */
  public <T> TimedQueue<T> queue(String name, Codec<T> codec, OptionalInt wantedLanes) {
    QueueLanes lanes =
        env.waiting().await(() -> new Awaited.Question<>(lookUp(name), lanes(name, wantedLanes)));
    return new ClientQueue<>(this, lanes, codec, null, env.waiting());
  }

  /** As {@link #queue}, without waiting. */
  public <T> CompletionStage<TimedQueue<T>> queueAsync(String name, Codec<T> codec) {
    return lanes(name, OptionalInt.empty())
        .thenApply(lanes -> new ClientQueue<>(this, lanes, codec, null, env.waiting()));
  }

  private CompletableFuture<QueueLanes> lanes(String name, OptionalInt wanted) {
    Checks.queueName(name);
    wanted.ifPresent(count -> Checks.range(count, 1, 1000, "lanes"));
    requireOpen();
    CompletableFuture<QueueLanes> mine = new CompletableFuture<>();
    CompletableFuture<QueueLanes> known = queues.putIfAbsent(name, mine);
    if (known != null) {
      return known;
    }
    CompletableFuture<?> unused =
        askForLanes(name, wanted)
            .whenComplete((lanes, failure) -> found(name, mine, lanes, failure));
    return mine;
  }

  private CompletableFuture<QueueLanes> askForLanes(String name, OptionalInt wanted) {
    return ask(
            lookUp(name),
            () -> wanted.isPresent() ? store.lanes(name, wanted.getAsInt()) : store.lanes(name))
        .thenApply(lanes -> lanes(name, lanes));
  }

  private static String lookUp(String name) {
    return "The look-up of queue '" + name + "'";
  }

  /** A look-up that failed is forgotten before anyone hears of it, so that the next one asks. */
  private void found(
      String name,
      CompletableFuture<QueueLanes> mine,
      @Nullable QueueLanes lanes,
      @Nullable Throwable failure) {
    if (lanes != null) {
      mine.complete(lanes);
    } else {
      queues.remove(name, mine);
      mine.completeExceptionally(StoreFailures.unwrap(Objects.requireNonNull(failure)));
    }
  }

  /**
   * Asks the store beside the sessions.
   *
   * @param what the question, as the begin of a sentence
   */
  <T> Awaited<T> question(String what, LaneSession.Asking<T> question) {
    return new Awaited.Question<>(what, ask(what, question));
  }

  private <T> CompletableFuture<T> ask(String what, LaneSession.Asking<T> question) {
    return answer(what, question, failure -> StoreFailures.ofQuestion(what, failure));
  }

  /** Asks the store for a change beside the sessions. */
  <T> Awaited<T> change(String what, LaneSession.Asking<T> change) {
    return new Awaited.Change<>(
        what, answer(what, change, failure -> StoreFailures.ofChange(what, null, failure)));
  }

  private <T> CompletableFuture<T> answer(
      String what,
      LaneSession.Asking<T> asking,
      Function<Throwable, RuntimeException> translation) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletionStage<?> unused =
        LaneSession.stage(asking)
            .whenComplete(
                (value, failure) ->
                    BlockingGuard.callbacks(
                        () -> {
                          if (failure == null) {
                            answer.complete(value);
                          } else {
                            answer.completeExceptionally(
                                ifClosed(what, translation.apply(failure)));
                          }
                        }));
    return answer;
  }

  private RuntimeException ifClosed(String what, RuntimeException failure) {
    return closing.get() == null ? failure : StoreFailures.whenClosed(what, failure);
  }

  private QueueLanes lanes(String name, List<Lane> those) {
    QueueLanes lanes = new QueueLanes(name, new HandlerLog(name, env));
    LaneCorrection correction =
        new LaneCorrection(
            store, env, lanes, right -> clients(lanes, right), () -> corrected(lanes));
    corrections.put(lanes, correction);
    lanes.become(clients(lanes, those));
    return lanes;
  }

  private List<LaneClient> clients(QueueLanes lanes, List<Lane> those) {
    Runnable misled =
        () -> {
          CompletableFuture<?> unused = correct(lanes);
        };
    return those.stream().map(lane -> client(lane, misled)).toList();
  }

  private LaneClient client(Lane lane, Runnable misled) {
    return new LaneClient(lane, new LaneSession(lane, env, health, clientId, misled), safetyCheck);
  }

  /** Asks the store how many lanes a queue has; completes when the queue has those. */
  CompletableFuture<@Nullable Void> correct(QueueLanes lanes) {
    return Objects.requireNonNull(corrections.get(lanes)).correct();
  }

  private void corrected(QueueLanes lanes) {
    List.copyOf(takers).forEach(taker -> taker.corrected(lanes));
    if (closing.get() != null) {
      for (LaneClient lane : lanes.all()) {
        CompletableFuture<?> unused = lane.close(FLUSH);
      }
    }
  }

  /** Lists the names of the queues. */
  public List<String> queues() {
    requireOpen();
    return env.waiting().await(() -> question("The list of queues", store::queues));
  }

  /** Returns the store's URL for people. */
  public String describeStore() {
    return store.describe();
  }

  Environment env() {
    return env;
  }

  MadeIds madeIds() {
    return madeIds;
  }

  void require(Capability capability) {
    if (!store.capabilities().contains(capability)) {
      throw new UnsupportedOperationException(store.describe() + " does not have " + capability);
    }
  }

  void requireOpen() {
    if (closing.get() != null) {
      throw new ClientClosedException(
          "This Punctual is closed; nothing was done. Open another one");
    }
  }

  void add(Closeable taker) {
    takers.add(taker);
    if (closing.get() != null) {
      CompletableFuture<?> unused = taker.shutdown(null);
    }
  }

  void remove(Closeable taker) {
    takers.remove(taker);
  }

  /**
   * Ends everything and waits for it, unless a handler or a callback calls: the end waits for them.
   * Null means that each worker has its own grace.
   */
  public void close(@Nullable Duration grace) {
    boolean mayWait =
        !BlockingGuard.isMarked()
            && List.copyOf(takers).stream().noneMatch(Closeable::isOnThisThread);
    CompletableFuture<@Nullable Void> end = shutdown(grace);
    if (!mayWait) {
      return;
    }
    try {
      Waiting.forEnd(end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException("Interrupted while closing; it goes on in the background", e);
    }
  }

  /** Ends everything; completes when it has ended. Asked again, gives the same end. */
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> first = closing.compareAndExchange(null, closed);
    if (first != null) {
      return first;
    }
    List<CompletableFuture<?>> ends = new ArrayList<>();
    List.copyOf(takers).forEach(taker -> ends.add(taker.shutdown(grace)));
    CompletableFuture<?> unused =
        all(ends)
            .thenCompose(workersEnded -> closeSessions())
            .whenCompleteAsync((nothing, error) -> closeStore(closed), Client::onItsOwnThread);
    return closed;
  }

  private CompletableFuture<@Nullable Void> closeSessions() {
    safetyCheck.close();
    corrections.values().forEach(LaneCorrection::close);
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (CompletableFuture<QueueLanes> queue : queues.values()) {
      if (queue.isDone() && !queue.isCompletedExceptionally()) {
        queue.join().all().forEach(lane -> ends.add(lane.close(FLUSH)));
      }
    }
    return all(ends);
  }

  private void closeStore(CompletableFuture<@Nullable Void> closed) {
    try {
      closeStore();
      closed.complete(null);
    } catch (Throwable e) {
      closed.completeExceptionally(e);
    }
  }

  private void closeStore() {
    try {
      store.close();
    } finally {
      afterClose.run();
    }
  }

  /** The last answer comes on a thread of the store's, which the store may wait for in its end. */
  private static void onItsOwnThread(Runnable task) {
    new Thread(null, task, "punctual-close", 0, false).start();
  }

  private static CompletableFuture<@Nullable Void> all(List<CompletableFuture<?>> ends) {
    return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
  }
}
