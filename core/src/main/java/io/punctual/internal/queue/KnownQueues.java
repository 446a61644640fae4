package io.punctual.internal.queue;

import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.PartitionCorrection;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.partition.SafetyCheck;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The queues that a client has looked up, with the sessions of their partitions. All views of a
 * queue share its {@link QueuePartitions}. Thread-safe.
 *
 * <p>The first look-up of a queue asks the store for its partitions. The first look-up after this
 * client has deleted the queue asks again, because the next queue of this name may get a different
 * number. A queue is forgotten when nothing uses it and its last look-up was some minutes ago, or
 * when this client has deleted it.
 */
public final class KnownQueues {
  private static final Duration FLUSH = Duration.ofSeconds(3);

  /**
   * The length of a round of {@link RecentQueues}; an unused queue is kept for up to two rounds.
   */
  private static final long ROUND_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final ClientParts client;
  private final Store store;
  private final Environment env;
  private final StoreHealth health;
  private final SafetyCheck safetyCheck;
  private final Consumers consumers;
  private final String clientId;
  private final AtomicInteger prefixes = new AtomicInteger();
  private final Map<String, KnownQueue> queues = new ConcurrentHashMap<>();
  private final RecentQueues recent = new RecentQueues();

  /** Whether the end of a round of {@link #recent} is scheduled. */
  private final AtomicBoolean roundBegun = new AtomicBoolean();

  KnownQueues(
      ClientParts client,
      Store store,
      Environment env,
      StoreHealth health,
      SafetyCheck safetyCheck,
      Consumers consumers,
      String clientId) {
    this.client = client;
    this.store = store;
    this.env = env;
    this.health = health;
    this.safetyCheck = safetyCheck;
    this.consumers = consumers;
    this.clientId = clientId;
  }

  /**
   * Returns the name of the request to look a queue up, as the subject of an exception's message.
   */
  public static String lookUp(String name) {
    return "The look-up of queue '" + name + "'";
  }

  /**
   * Looks up a queue.
   *
   * @param wanted the number of partitions of a new queue; empty for the store's default
   */
  public CompletableFuture<QueuePartitions> find(String name, OptionalInt wanted) {
    KnownQueue known = queues.get(name);
    CompletableFuture<QueuePartitions> found = known == null ? null : known.found();
    while (known == null || found == null) {
      KnownQueue mine = new KnownQueue();
      if (known == null
          ? queues.putIfAbsent(name, mine) == null
          : queues.replace(name, known, mine)) {
        return lookUp(name, wanted, mine);
      }
      known = queues.get(name);
      found = known == null ? null : known.found();
    }
    KnownQueue.Renewal renewal = known.renewal();
    CompletableFuture<QueuePartitions> answer =
        renewal == null ? found : renewed(known, wanted, found, renewal);
    // Mostly complete; a first look-up notes its use itself.
    return answer.thenApply(this::used);
  }

  private QueuePartitions used(QueuePartitions partitions) {
    recent.use(partitions);
    beginRound();
    return partitions;
  }

  private CompletableFuture<QueuePartitions> lookUp(
      String name, OptionalInt wanted, KnownQueue mine) {
    CompletableFuture<QueuePartitions> answer = Objects.requireNonNull(mine.found());
    CompletableFuture<?> unused =
        ask(name, wanted)
            .thenApply(those -> create(name, those))
            .whenComplete((partitions, failure) -> found(name, mine, answer, partitions, failure));
    return answer;
  }

  /** Ends the round after a time, and again as long as the client knows a queue. */
  private void beginRound() {
    if (roundBegun.compareAndSet(false, true)) {
      try {
        @Nullable Timeout unused = env.ifOpen(ROUND_NANOS, this::endRound);
      } catch (Error e) {
        roundBegun.set(false); // the next look-up tries again
        throw e;
      }
    }
  }

  private void endRound() {
    roundBegun.set(false);
    recent.endRound();
    queues.values().removeIf(KnownQueue::isForgotten);
    if (!queues.isEmpty() && !client.isClosed()) {
      beginRound();
    }
  }

  private CompletableFuture<List<Partition>> ask(String name, OptionalInt wanted) {
    return client
        .question(
            lookUp(name),
            () ->
                wanted.isPresent()
                    ? store.partitions(name, wanted.getAsInt())
                    : store.partitions(name))
        .answer();
  }

  /**
   * Completes a look-up. A failed look-up is removed before its callers are notified, so that their
   * next call asks the store again.
   */
  private void found(
      String name,
      KnownQueue mine,
      CompletableFuture<QueuePartitions> answer,
      @Nullable QueuePartitions partitions,
      @Nullable Throwable failure) {
    if (partitions != null) {
      mine.found(used(partitions));
      answer.complete(partitions);
    } else {
      queues.remove(name, mine);
      answer.completeExceptionally(StoreFailures.unwrap(Objects.requireNonNull(failure)));
    }
  }

  /** Notes that the store may have deleted a queue, so that the next look-up asks the store. */
  public void deleted(String name) {
    KnownQueue known = queues.get(name);
    if (known != null) {
      known.deleted();
      QueuePartitions partitions = known.partitions();
      if (partitions != null) {
        recent.remove(partitions);
      }
    }
  }

  private CompletableFuture<QueuePartitions> renewed(
      KnownQueue queue,
      OptionalInt wanted,
      CompletableFuture<QueuePartitions> known,
      KnownQueue.Renewal renewal) {
    if (renewal.begin()) {
      CompletableFuture<?> unused =
          known
              .thenCompose(partitions -> renew(partitions, wanted))
              .whenComplete(
                  (partitions, failure) ->
                      BlockingGuard.callbacks(() -> renewed(queue, renewal, partitions, failure)));
    }
    return renewal.end();
  }

  private CompletableFuture<QueuePartitions> renew(QueuePartitions partitions, OptionalInt wanted) {
    return ask(partitions.queue(), wanted)
        .thenCompose(those -> partitions.correction().become(those))
        .thenApply(nothing -> partitions);
  }

  private static void renewed(
      KnownQueue queue,
      KnownQueue.Renewal renewal,
      @Nullable QueuePartitions partitions,
      @Nullable Throwable failure) {
    if (partitions != null) {
      queue.renewed(renewal, null);
      renewal.end().complete(partitions);
    } else {
      queue.renewed(renewal, new KnownQueue.Renewal());
      renewal.end().completeExceptionally(StoreFailures.unwrap(Objects.requireNonNull(failure)));
    }
  }

  private QueuePartitions create(String name, List<Partition> those) {
    QueuePartitions partitions = new QueuePartitions(name, env);
    PartitionCorrection correction =
        new PartitionCorrection(
            store, env, health, partitions, this::clients, () -> corrected(partitions));
    partitions.correctBy(correction);
    correction.begin(those);
    return partitions;
  }

  private List<PartitionClient> clients(List<Partition> those, Runnable onStalePartitionCount) {
    return those.stream().map(partition -> client(partition, onStalePartitionCount)).toList();
  }

  private PartitionClient client(Partition partition, Runnable onStalePartitionCount) {
    return new PartitionClient(
        partition,
        sessions ->
            new PartitionSession(
                partition, sessions, env, health, sessionPrefix(), onStalePartitionCount),
        safetyCheck);
  }

  /**
   * Returns a new prefix for the ids of a partition's sessions. After a correction, a new {@code
   * PartitionSession} may use the same partition as an earlier {@code PartitionSession}. The
   * partition may still remember the earlier session, so the ids must differ.
   */
  private String sessionPrefix() {
    return clientId + Integer.toString(prefixes.getAndIncrement(), Character.MAX_RADIX) + '.';
  }

  private void corrected(QueuePartitions partitions) {
    consumers.corrected(partitions);
    if (client.isClosed()) {
      for (PartitionClient partition : partitions.all()) {
        CompletableFuture<?> unused = partition.close(FLUSH);
      }
    }
  }

  /** Ends the sessions; completes when they have ended. */
  CompletableFuture<@Nullable Void> close() {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (KnownQueue queue : queues.values()) {
      QueuePartitions partitions = queue.partitions();
      if (partitions != null) {
        partitions.correction().close();
        partitions.all().forEach(partition -> ends.add(partition.close(FLUSH)));
      }
    }
    return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
  }
}
