package io.punctual.internal.worker;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerStats;
import io.punctual.event.Event;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.FailureRules;
import io.punctual.internal.delivery.SettlementContext;
import io.punctual.internal.delivery.Suspects;
import io.punctual.internal.handler.HandlerCall;
import io.punctual.internal.handler.Handlers;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.runtime.WorkerCounters;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link Worker}. A {@link PartitionClaimer} for each partition claims as
 * many messages as {@link ClaimThrottle} and {@link WorkerPrefetch} permit, {@link Handlers} calls
 * the handler, and {@link WorkerShutdown} ends the worker. Thread-safe.
 */
public final class QueueWorker<T>
    implements Worker,
        Consumers.Member,
        SettlementContext.SettlementWatch,
        PartitionClaimer.Consumer,
        Handlers.RunListener,
        WorkerShutdown.Steps {
  private final Environment env;
  private final Consumers consumers;
  private final QueuePartitions partitions;
  private final WorkerOptions options;
  private final int batchSize;
  private final DeliveryRules<T> rules;
  private final Handlers<T> handlers;
  private final Pool pool;
  private final ClaimThrottle throttle;
  private final Batches batches;
  private final WorkerPrefetch prefetch;
  private final WorkerShutdown shutdown;
  private final WorkerCounters counters;
  private final AtomicInteger unconfirmed = new AtomicInteger();
  private final Claimers claimers;
  private final SuspectStarts suspects;
  private final WorkerEntry entry;

  public QueueWorker(
      Environment env,
      Consumers consumers,
      QueuePartitions partitions,
      Codec<T> codec,
      @Nullable Durability durability,
      FailureRules<T> failures,
      WorkerOptions options,
      HandlerCall<T> call,
      int batchSize) {
    this.env = env;
    this.consumers = consumers;
    this.partitions = partitions;
    this.options = options;
    this.batchSize = batchSize;
    this.counters = new WorkerCounters(env.nanoTime());
    this.rules =
        new DeliveryRules<>(
            codec,
            failures.withPolicy(options.retryPolicy()),
            new SettlementContext(
                partitions.queue(),
                env,
                partitions.log(),
                durability,
                this,
                consumers.isolation()));
    this.pool = Pool.of(env, name(), options);
    HandlerCall<T> observed = new HandlerCall.Observed<>(call, env, this);
    this.handlers =
        new Handlers<>(env, partitions, options, rules, observed, pool.threads(), counters, this);
    this.throttle = pool.throttle();
    this.batches =
        new Batches(env, throttle, batchSize, options.batchLinger(), handlers, this::useRoom);
    this.shutdown = new WorkerShutdown(env, this);
    this.prefetch =
        new WorkerPrefetch(env, options, throttle, batches, batchSize, handlers, shutdown::check);
    this.suspects = new SuspectStarts(consumers.isolation());
    this.claimers = new Claimers(partitions, this::claimer, prefetch, this::isClosing);
    this.entry = new WorkerEntry(this, counters, claimers);
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
    claimers.start();
  }

  private PartitionClaimer claimer(PartitionClient partition) {
    return new PartitionClaimer(
        env, partition, throttle, batches, prefetch, batchSize, handlers.leaseMillis(), this);
  }

  @Override
  public Announced announced() {
    return entry;
  }

  @Override
  public void corrected(QueuePartitions those) {
    if (those == partitions) {
      claimers.start();
    }
  }

  @Override
  public void pause() {
    claimers.pause(Claimers.Pauser.PROCESS, true);
  }

  @Override
  public void resume() {
    claimers.pause(Claimers.Pauser.PROCESS, false);
  }

  @Override
  public boolean isPaused() {
    return claimers.isPaused();
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
  public void setConcurrency(int concurrency) {
    if (!ownsPool()) {
      throw new IllegalStateException(
          "The worker shares a pool: change the concurrency of the pool instead");
    }
    pool.setConcurrency(concurrency);
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
    int left = permits;
    try {
      Suspects.Sifted sifted = rules.sift(claimed, lease);
      Reply.Claimed suspect = sifted.suspect();
      if (suspect != null) {
        int kept = Math.min(1, left);
        suspects.add(lease, () -> add(suspect, lease, kept));
        left -= kept;
      }
      int rest = left;
      left = 0;
      add(sifted.others(), lease, rest);
    } catch (Throwable e) {
      throttle.giveBack(left);
      notDelivered(claimed, e);
    }
  }

  /**
   * Notes that messages were claimed for nothing. Their leases end, because nothing renews them.
   */
  private void notDelivered(Reply.Claimed claimed, Throwable failure) {
    if (!claimed.messages().isEmpty()) {
      partitions.log().intakeFailed(claimed.messages().get(0).id(), failure);
    }
  }

  private void add(Reply.Claimed claimed, ClaimLease lease, int permits) {
    List<ClaimedMessage> messages;
    try {
      rules.received(claimed, lease);
      messages = claimed.messages().stream().map(each -> new ClaimedMessage(each, lease)).toList();
    } catch (Throwable e) {
      throttle.giveBack(permits);
      notDelivered(claimed, e);
      return;
    }
    prefetch.add(messages, permits);
  }

  private void useRoom() {
    claimers.run();
  }

  @Override
  public void release(Reply.Claimed claimed, ClaimLease lease, int permits) {
    try {
      rules.releaseAll(claimed, lease);
    } finally {
      throttle.giveBack(permits);
    }
  }

  @Override
  public void claimEnded() {
    claimers.forgetReplaced();
    throttle.admitWaiting();
    shutdown.check();
  }

  @Override
  public void handlerEnded() {
    try {
      throttle.giveBack(1);
    } finally {
      if (isClosing()) {
        flushAcks();
      }
      shutdown.check();
    }
  }

  @Override
  public void rejected(Throwable failure) {
    if (throttle.holdOff()) {
      partitions.log().executorRefuses(failure);
    }
  }

  @Override
  public void submitted() {
    unconfirmed.incrementAndGet();
    throttle.settlementSubmitted();
  }

  @Override
  public void answered() {
    unconfirmed.decrementAndGet();
    throttle.settlementAnswered();
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
      throttle.close();
    }
    claimers.close();
    prefetch.close();
    suspects.runAll();
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
    return unconfirmed.get() == 0 && !claimers.areClaiming();
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
