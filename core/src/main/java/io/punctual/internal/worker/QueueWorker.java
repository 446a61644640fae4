package io.punctual.internal.worker;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerStats;
import io.punctual.event.Event;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Waiting;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link Worker}. A {@link PartitionClaimer} for each partition claims as
 * many messages as {@link Admission} and {@link WorkerPrefetch} permit, {@link Handlers} calls the
 * handler, and {@link WorkerShutdown} ends the worker. Thread-safe.
 */
public final class QueueWorker<T>
    implements Worker,
        Consumers.Member,
        Settling.SettlementWatch,
        PartitionClaimer.Consumer,
        Handlers.RunListener,
        WorkerShutdown.Steps {
  private final Environment env;
  private final Consumers consumers;
  private final QueuePartitions partitions;
  private final WorkerOptions options;
  private final int batchSize;
  private final Intake<T> intake;
  private final Handlers<T> handlers;
  private final Pool pool;
  private final Admission<Runnable> admission;
  private final Batches batches;
  private final WorkerPrefetch prefetch;
  private final WorkerShutdown shutdown;
  private final WorkerCounters counters = new WorkerCounters();
  private final AtomicInteger unconfirmed = new AtomicInteger();
  private final ReentrantLock claimersLock = new ReentrantLock();

  /**
   * The claimers of the current partitions. {@link #claimersLock} guards changes. The worker's
   * monitor does not, because users can hold it while they wait.
   */
  private volatile List<PartitionClaimer> claimers = List.of();

  /**
   * The claimers that were replaced while a claim was in flight. The worker's end waits for these
   * claims.
   */
  private final Set<PartitionClaimer> replaced = ConcurrentHashMap.newKeySet();

  /** Written under {@link #claimersLock}. */
  private volatile boolean paused;

  public QueueWorker(
      Environment env,
      Consumers consumers,
      QueuePartitions partitions,
      Codec<T> codec,
      @Nullable Durability durability,
      FailureRules<T> rules,
      WorkerOptions options,
      HandlerCall<T> call,
      int batchSize) {
    this.env = env;
    this.consumers = consumers;
    this.partitions = partitions;
    this.options = options;
    this.batchSize = batchSize;
    this.intake =
        new Intake<>(
            codec,
            rules.withPolicy(options.retryPolicy()),
            new Settling(partitions.queue(), env, partitions.log(), durability, this));
    this.pool = Pool.of(env, name(), options);
    HandlerCall<T> observed = new HandlerCall.Observed<>(call, env, this);
    this.handlers =
        new Handlers<>(env, partitions, options, intake, observed, pool.threads(), counters, this);
    this.admission = pool.admission();
    this.batches =
        new Batches(env, admission, batchSize, options.batchLinger(), handlers, this::useRoom);
    this.prefetch =
        new WorkerPrefetch(env, options, admission, batches, batchSize, handlers, this::moved);
    this.shutdown = new WorkerShutdown(env, this);
  }

  private boolean ownsPool() {
    return options.pool().isEmpty();
  }

  /** Starts the worker, unless an observer of the start has closed it. */
  public void start() {
    env.events().publish(() -> new Event.WorkerStarted(queue(), this));
    consumers.add(this);
    CompletableFuture<?> unused =
        shutdown.ended().whenComplete((nothing, failure) -> consumers.remove(this));
    startClaimers();
  }

  /**
   * Replaces the claimers by claimers of the current partitions. While the worker is paused or
   * closing, it has no claimers.
   */
  private void startClaimers() {
    List<PartitionClaimer> before;
    List<PartitionClaimer> now;
    claimersLock.lock();
    try {
      before = claimers;
      replaced.addAll(before);
      now =
          paused || isClosing() ? List.of() : partitions.all().stream().map(this::claimer).toList();
      claimers = now;
    } finally {
      claimersLock.unlock();
    }
    before.forEach(PartitionClaimer::close);
    replaced.removeIf(claimer -> !claimer.isClaiming());
    now.forEach(PartitionClaimer::start);
    if (isClosing()) {
      now.forEach(PartitionClaimer::close);
    }
  }

  private PartitionClaimer claimer(PartitionClient partition) {
    return new PartitionClaimer(
        env, partition, admission, batches, prefetch, batchSize, handlers.leaseMillis(), this);
  }

  @Override
  public void corrected(QueuePartitions those) {
    if (those == partitions) {
      startClaimers();
    }
  }

  @Override
  public void pause() {
    pause(true);
  }

  @Override
  public void resume() {
    pause(false);
  }

  private void pause(boolean wanted) {
    claimersLock.lock();
    try {
      if (paused == wanted) {
        return;
      }
      paused = wanted;
      if (!wanted) {
        prefetch.pause(false);
      }
    } finally {
      claimersLock.unlock();
    }
    startClaimers();
    pauseBatches();
  }

  /**
   * Applies the pause to the batches. This happens after the claims have stopped, because a
   * released message would be claimed again at once otherwise.
   */
  private void pauseBatches() {
    claimersLock.lock();
    try {
      prefetch.pause(paused);
    } finally {
      claimersLock.unlock();
    }
    prefetch.releaseIfPaused();
  }

  @Override
  public boolean isPaused() {
    return paused;
  }

  @Override
  public boolean isClosed() {
    return isClosing();
  }

  @Override
  public int concurrency() {
    return pool.concurrency();
  }

  @Override
  public void concurrency(int concurrency) {
    if (!ownsPool()) {
      throw new IllegalStateException(
          "The worker shares a pool: change the concurrency of the pool instead");
    }
    pool.concurrency(concurrency);
  }

  @Override
  public String name() {
    return options.name().orElseGet(partitions::queue);
  }

  @Override
  public String queue() {
    return partitions.queue();
  }

  @Override
  public int running() {
    return handlers.running();
  }

  @Override
  public WorkerStats stats() {
    return counters.stats(running());
  }

  @Override
  public void failed() {
    counters.failed();
  }

  @Override
  public void buried() {
    counters.buried();
  }

  @Override
  public void deliver(Reply.Claimed claimed, ClaimLease lease, int permits) {
    intake.received(claimed, lease);
    prefetch.add(
        claimed.messages().stream().map(each -> new ClaimedMessage(each, lease)).toList(), permits);
  }

  private void moved() {
    shutdown.check();
  }

  private void useRoom() {
    claimers.forEach(PartitionClaimer::run);
  }

  @Override
  public void release(Reply.Claimed claimed, ClaimLease lease, int permits) {
    intake.releaseAll(claimed, lease);
    admission.giveBack(permits);
  }

  @Override
  public void claimEnded() {
    replaced.removeIf(claimer -> !claimer.isClaiming());
    admission.admitWaiting();
    shutdown.check();
  }

  @Override
  public void handlerEnded() {
    if (isClosing()) {
      flushAcks();
    }
    admission.giveBack(1);
    shutdown.check();
  }

  @Override
  public void rejected(Throwable failure) {
    if (admission.holdOff()) {
      partitions.log().executorRefuses(failure);
    }
  }

  @Override
  public void submitted() {
    unconfirmed.incrementAndGet();
    admission.settlementSubmitted();
  }

  @Override
  public void answered() {
    unconfirmed.decrementAndGet();
    admission.settlementAnswered();
    shutdown.check();
  }

  @Override
  public void await() throws InterruptedException {
    Waiting.forEnd(shutdown.ended());
  }

  @Override
  public boolean await(Duration time) throws InterruptedException {
    BlockingGuard.requireBlockable();
    try {
      Object unused =
          shutdown.ended().get(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new PunctualException("The worker of queue '" + queue() + "' failed", e);
    }
  }

  @Override
  public void close() {
    close(options.shutdownGrace());
  }

  @Override
  public void close(Duration grace) {
    CompletableFuture<@Nullable Void> end = shutdown(grace);
    if (BlockingGuard.isMarked() || isOnThisThread()) {
      return;
    }
    try {
      Waiting.forEnd(end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException(
          "Interrupted while closing the worker of queue '"
              + queue()
              + "'; the worker continues to close in the background",
          e);
    }
  }

  @Override
  public CompletionStage<@Nullable Void> closeAsync(Duration grace) {
    return env.callbacks().of(shutdown(Objects.requireNonNull(grace, "grace")).copy());
  }

  @Override
  public boolean isOnThisThread() {
    return handlers.isOnThisThread();
  }

  @Override
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    return shutdown.begin(grace == null ? options.shutdownGrace() : grace);
  }

  @Override
  public boolean isClosing() {
    return shutdown.isClosing();
  }

  @Override
  public void begin() {
    if (ownsPool()) {
      admission.close();
    }
    claimers.forEach(PartitionClaimer::close);
    prefetch.close();
    flushAcks();
    handlers.releaseWaiting();
  }

  /** Sends the lingering acks now, because the end of the worker waits for their replies. */
  private void flushAcks() {
    partitions.all().forEach(partition -> partition.session().flush());
  }

  @Override
  public void interrupt() {
    handlers.interrupt();
  }

  @Override
  public boolean isQuiet() {
    return prefetch.isQuiet() && handlers.isQuiet();
  }

  @Override
  public boolean isAnswered() {
    return unconfirmed.get() == 0
        && Stream.concat(claimers.stream(), replaced.stream())
            .noneMatch(PartitionClaimer::isClaiming);
  }

  @Override
  public void end() {
    handlers.abandon();
    if (ownsPool()) {
      pool.close();
    }
    env.events().publish(() -> new Event.WorkerStopped(queue(), this));
  }
}
