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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The queues that a client has looked up, with the sessions of their partitions. All views of a
 * queue share its {@link QueuePartitions}. Thread-safe.
 *
 * <p>The first look-up of a queue asks the store for its partitions. The first look-up after this
 * client has deleted the queue asks again, because the next queue of this name may get a different
 * number.
 */
public final class KnownQueues {
  private static final Duration FLUSH = Duration.ofSeconds(3);

  private final ClientParts client;
  private final Store store;
  private final Environment env;
  private final StoreHealth health;
  private final SafetyCheck safetyCheck;
  private final Consumers consumers;
  private final String clientId;
  private final AtomicInteger prefixes = new AtomicInteger();
  private final Map<String, CompletableFuture<QueuePartitions>> queues = new ConcurrentHashMap<>();
  private final Map<QueuePartitions, PartitionCorrection> corrections = new ConcurrentHashMap<>();

  /** The queues that this client may have deleted since their last look-up. */
  private final Map<String, Renewal> renewals = new ConcurrentHashMap<>();

  /**
   * The first look-up of a queue after a deletion. All callers that look the queue up at the same
   * time share its result.
   */
  private static final class Renewal {
    private final CompletableFuture<QueuePartitions> end = new CompletableFuture<>();
    private boolean begun;

    synchronized boolean begin() {
      boolean first = !begun;
      begun = true;
      return first;
    }
  }

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
    CompletableFuture<QueuePartitions> mine = new CompletableFuture<>();
    CompletableFuture<QueuePartitions> known = queues.putIfAbsent(name, mine);
    if (known == null) {
      CompletableFuture<?> unused =
          ask(name, wanted)
              .thenApply(those -> create(name, those))
              .whenComplete((partitions, failure) -> found(name, mine, partitions, failure));
      return mine;
    }
    Renewal renewal = renewals.get(name);
    return renewal == null ? known : renewed(name, wanted, known, renewal);
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
      CompletableFuture<QueuePartitions> mine,
      @Nullable QueuePartitions partitions,
      @Nullable Throwable failure) {
    if (partitions != null) {
      mine.complete(partitions);
    } else {
      queues.remove(name, mine);
      mine.completeExceptionally(StoreFailures.unwrap(Objects.requireNonNull(failure)));
    }
  }

  /** Notes that the store may have deleted a queue, so that the next look-up asks the store. */
  public void deleted(String name) {
    if (queues.containsKey(name)) {
      renewals.put(name, new Renewal());
    }
  }

  private CompletableFuture<QueuePartitions> renewed(
      String name, OptionalInt wanted, CompletableFuture<QueuePartitions> known, Renewal renewal) {
    if (renewal.begin()) {
      CompletableFuture<?> unused =
          known
              .thenCompose(partitions -> renew(partitions, wanted))
              .whenComplete(
                  (partitions, failure) ->
                      BlockingGuard.callbacks(() -> renewed(name, renewal, partitions, failure)));
    }
    return renewal.end;
  }

  private CompletableFuture<QueuePartitions> renew(QueuePartitions partitions, OptionalInt wanted) {
    return ask(partitions.queue(), wanted)
        .thenCompose(those -> correction(partitions).become(those))
        .thenApply(nothing -> partitions);
  }

  private void renewed(
      String name,
      Renewal renewal,
      @Nullable QueuePartitions partitions,
      @Nullable Throwable failure) {
    if (partitions != null) {
      renewals.remove(name, renewal);
      renewal.end.complete(partitions);
    } else {
      renewals.replace(name, renewal, new Renewal());
      renewal.end.completeExceptionally(StoreFailures.unwrap(Objects.requireNonNull(failure)));
    }
  }

  private QueuePartitions create(String name, List<Partition> those) {
    QueuePartitions partitions = new QueuePartitions(name, env);
    PartitionCorrection correction =
        new PartitionCorrection(
            store, env, health, partitions, this::clients, () -> corrected(partitions));
    corrections.put(partitions, correction);
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

  /**
   * Asks the store for a queue's number of partitions; completes when {@code partitions} has that
   * number.
   */
  CompletableFuture<@Nullable Void> correct(QueuePartitions partitions) {
    return correction(partitions).correct();
  }

  private PartitionCorrection correction(QueuePartitions partitions) {
    return Objects.requireNonNull(corrections.get(partitions));
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
    corrections.values().forEach(PartitionCorrection::close);
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (CompletableFuture<QueuePartitions> queue : queues.values()) {
      if (queue.isDone() && !queue.isCompletedExceptionally()) {
        queue.join().all().forEach(partition -> ends.add(partition.close(FLUSH)));
      }
    }
    return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
  }
}
