package io.punctual.internal.queue;

import io.punctual.ClientClosedException;
import io.punctual.WorkerOptions;
import io.punctual.internal.claim.ClaimLines;
import io.punctual.internal.delivery.Claimants;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.delivery.Isolation;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.partition.SafetyCheck;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.IdGenerator;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a client that its queues share: the store, the queues in use with their sessions,
 * the workers and manual claims, and the tasks. Sends the requests that need no session.
 * Thread-safe.
 */
public final class ClientParts {
  private final Store store;
  private final Environment env;
  private final Map<String, WorkerOptions> queueDefaults;
  private final IdGenerator ids;
  private final SafetyCheck safetyCheck;
  private final Consumers consumers;
  private final ClaimLines lines = new ClaimLines();
  private final KnownQueues queues;
  private final WorkerListing workerListing;
  private final Claimants claimants = new Claimants();

  /** The actions that end the running tasks, in the order in which the tasks started. */
  private final Set<Runnable> tasks = Collections.synchronizedSet(new LinkedHashSet<>());

  private volatile boolean closed;

  /**
   * Creates the parts of a client.
   *
   * @param queueDefaults the default options of workers, by queue
   */
  public ClientParts(
      Store store, Environment env, Map<String, WorkerOptions> queueDefaults, StoreHealth health) {
    this.store = store;
    this.env = env;
    this.queueDefaults = Map.copyOf(queueDefaults);
    this.ids = new IdGenerator(env.clock(), env.random());
    this.safetyCheck = new SafetyCheck(store, env);
    String id = LeaseHolders.newId(env.randomGenerator());
    this.workerListing = new WorkerListing(store, env, id, claimants);
    this.consumers = new Consumers(workerListing, new Isolation(env));
    this.queues = new KnownQueues(this, store, env, health, safetyCheck, consumers, id);
  }

  public Environment env() {
    return env;
  }

  public WorkerOptions workerDefaults(String queue) {
    return queueDefaults.getOrDefault(queue, WorkerOptions.DEFAULT);
  }

  public WorkerListing workerListing() {
    return workerListing;
  }

  /** Returns the store's URL without secrets. */
  public String describeStore() {
    return store.describe();
  }

  /** Returns a new id for a session with a single call. */
  public String sessionId() {
    return LeaseHolders.newId(env.randomGenerator());
  }

  /** Notes the messages of a claim, and the name of the claimant if it has one. */
  void claimed(@Nullable String name, List<? extends ClientDelivery<?>> deliveries) {
    if (name != null || !claimants.isEmpty()) {
      claimants.claimed(name, deliveries, env.nanoTime());
    }
    if (name != null) {
      workerListing.held();
    }
  }

  Claimants claimants() {
    return claimants;
  }

  IdGenerator ids() {
    return ids;
  }

  boolean has(Capability capability) {
    return store.capabilities().contains(capability);
  }

  public void require(Capability capability) {
    if (!has(capability)) {
      throw new UnsupportedOperationException(store.describe() + " does not support " + capability);
    }
  }

  public boolean isClosed() {
    return closed;
  }

  public void requireOpen() {
    if (isClosed()) {
      throw new ClientClosedException(
          "This Punctual is closed; nothing was done. Open a new client");
    }
  }

  /**
   * Adds a task, which ends with the client at the latest.
   *
   * @param end ends the task
   */
  public void addTask(Runnable end) {
    tasks.add(end);
    if (isClosed()) {
      end.run();
    }
  }

  public void removeTask(Runnable end) {
    tasks.remove(end);
  }

  public KnownQueues queues() {
    return queues;
  }

  public Consumers consumers() {
    return consumers;
  }

  /** Returns the lines of the manual claims. */
  ClaimLines lines() {
    return lines;
  }

  /**
   * Sends a request that changes nothing and uses no session.
   *
   * @param what the name of the request, with which the message of an exception begins
   */
  public <T> Awaited<T> question(String what, StoreCall<T> question) {
    return new Awaited.Question<>(what, ask(what, question));
  }

  private <T> CompletableFuture<T> ask(String what, StoreCall<T> question) {
    return answer(what, question, failure -> StoreFailures.ofQuestion(what, failure));
  }

  /** Sends a change that is not a single operation of a session. */
  public <T> Awaited<T> change(String what, StoreCall<T> change) {
    return new Awaited.Change<>(
        what, answer(what, change, failure -> StoreFailures.ofChange(what, null, failure)));
  }

  private <T> CompletableFuture<T> answer(
      String what, StoreCall<T> asking, Function<Throwable, RuntimeException> translation) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletionStage<?> unused =
        StoreCall.stage(asking)
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
    return isClosed() ? StoreFailures.whenClosed(what, failure) : failure;
  }

  /**
   * Asks the store for a queue's number of partitions; completes when {@code partitions} has that
   * number.
   */
  public CompletableFuture<@Nullable Void> correct(QueuePartitions partitions) {
    return partitions.correction().correct();
  }

  /**
   * Ends the tasks, workers, manual claims and sessions. A null grace period means the grace period
   * of each worker's options. Completes when they have ended. The sessions end even if a worker or
   * claim can't be closed.
   */
  public CompletableFuture<@Nullable Void> close(@Nullable Duration grace) {
    closed = true;
    List.copyOf(tasks).forEach(Runnable::run);
    return CompletableFuture.allOf(consumers.close(grace), lines.close())
        .exceptionally(reported -> null)
        .thenCompose(
            consumersEnded -> CompletableFuture.allOf(workerListing.close(), closeSessions()));
  }

  private CompletableFuture<@Nullable Void> closeSessions() {
    safetyCheck.close();
    return queues.close();
  }
}
