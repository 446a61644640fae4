package io.punctual.internal.handler;

import io.punctual.HandlerTimeoutException;
import io.punctual.WorkerOptions;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.HeldLease;
import io.punctual.internal.log.Logs;
import io.punctual.internal.message.Checks;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import io.punctual.internal.runtime.WorkerCounters;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The calls of a worker's handler that run or wait for a thread. Thread-safe. */
public final class Handlers<T> implements DeadCall.Context<T> {
  private static final Logger log = Logs.of(Handlers.class);

  private final Environment env;
  private final QueuePartitions partitions;
  private final WorkerOptions options;
  private final DeliveryRules<T> rules;
  private final HandlerCall<T> call;
  private final RunListener listener;
  private final WorkerCounters counters;
  private final HandlerThreads threads;
  private final long leaseMillis;
  private final Set<HandlerRun<T>> runs = ConcurrentHashMap.newKeySet();
  private final AtomicInteger running = new AtomicInteger();
  private final StartWatch<T> startWatch;

  /** Receives notices. Any thread can call the listener; the thread holds no lock then. */
  public interface RunListener {
    /** Reports that a call has ended, or that its messages were released before the call began. */
    void handlerEnded();

    /** Reports that the executor rejected a handler. */
    void rejected(Throwable failure);

    /**
     * Returns whether the worker is closing, so that the messages of waiting handlers are released.
     */
    boolean isClosing();
  }

  public Handlers(
      Environment env,
      QueuePartitions partitions,
      WorkerOptions options,
      DeliveryRules<T> rules,
      HandlerCall<T> call,
      HandlerThreads threads,
      WorkerCounters counters,
      RunListener listener) {
    this.env = env;
    this.partitions = partitions;
    this.options = options;
    this.rules = rules;
    this.call = call;
    this.listener = listener;
    this.counters = counters;
    this.leaseMillis = Checks.lease(options.lease());
    this.startWatch = new StartWatch<>(env, partitions.log(), leaseMillis, runs);
    this.threads = threads;
  }

  public long leaseMillis() {
    return leaseMillis;
  }

  public DeliveryRules<T> rules() {
    return rules;
  }

  HandlerCall<T> call() {
    return call;
  }

  @Override
  public HandlerLog log() {
    return partitions.log();
  }

  @Override
  public void refused(Throwable failure, Duration delay) {
    listener.rejected(failure);
  }

  @Override
  public boolean interruptsOnLeaseLost() {
    return options.interruptOnLeaseLost();
  }

  /**
   * Hands messages to the handler on a thread of the executor. If that fails, they return to the
   * queue, or come back at the end of their leases. Throws nothing.
   */
  public void execute(List<ClaimedMessage> messages) {
    HandlerRun<T> run;
    try {
      run = new HandlerRun<>(this, messages);
      runs.add(run);
    } catch (Throwable e) {
      listener.handlerEnded();
      log().intakeFailed(messages.get(0).id(), e);
      return;
    }
    try {
      if (listener.isClosing()) {
        run.releaseIfWaiting();
      } else {
        threads.execute(run);
        startWatch.added();
      }
    } catch (Throwable e) {
      try {
        listener.rejected(e);
      } finally {
        run.releaseIfWaiting();
      }
    }
  }

  /** Records that a handler receives a message. */
  void handedOver(ClientDelivery<T> delivery) {
    counters.handedOver(delivery.lateness());
    delivery.handedOver();
  }

  /** Records that a call with this number of messages has ended. */
  void handled(int messages) {
    counters.handled(messages);
  }

  void started() {
    running.incrementAndGet();
  }

  void ended(HandlerRun<T> run, boolean wasRunning) {
    runs.remove(run);
    if (wasRunning) {
      running.decrementAndGet();
    }
    listener.handlerEnded();
  }

  /** Returns how many handlers run. */
  public int running() {
    return running.get();
  }

  /** Returns whether no handler runs or waits. */
  public boolean isQuiet() {
    // The order of the checks matters: a call that ends leaves the set before the count of running
    // calls falls.
    return runs.isEmpty() && running.get() == 0;
  }

  public boolean isOnThisThread() {
    return runs.stream().anyMatch(HandlerRun::isOnThisThread);
  }

  public void releaseWaiting() {
    inOrder().forEach(HandlerRun::releaseIfWaiting);
  }

  /** Interrupts the handlers, because the worker's grace period is over. */
  public void interrupt() {
    inOrder().forEach(HandlerRun::stop);
  }

  /** Stops the renewal of leases whose handlers ignore the interrupt, so that they expire. */
  public void abandon() {
    inOrder().forEach(HandlerRun::abandon);
  }

  /**
   * Returns the calls in the order of their fencing tokens. An order by hash codes would differ
   * between two runs of a simulation with the same seed.
   */
  private List<HandlerRun<T>> inOrder() {
    return runs.stream().sorted(HandlerRun.ORDER).toList();
  }

  @Override
  public LeaseKeeper<T> keeper(
      List<ClientDelivery<T>> deliveries, LeaseKeeper.LeaseListener listener, int calls) {
    long timeout =
        options
            .handlerTimeout()
            .map(t -> TimeUnit.MILLISECONDS.toNanos(Math.max(1, t.toMillis())))
            .filter(nanos -> nanos < Long.MAX_VALUE / calls)
            .map(nanos -> nanos * calls)
            .orElse(Long.MAX_VALUE);
    return new LeaseKeeper<>(env, deliveries, leaseMillis, options.renew(), timeout, listener);
  }

  CommitProbe commitProbe(HeldLease held, CommitProbe.Listener listener) {
    return new CommitProbe(env, held, leaseMillis, threadsOr(Runnable::run), listener);
  }

  Executor threads() {
    return threads;
  }

  /**
   * Returns an executor that runs tasks on the handlers' threads, and passes a task to {@code
   * refused} if no thread accepts it.
   */
  Executor threadsOr(Consumer<Runnable> refused) {
    return task -> {
      try {
        threads.execute(task);
      } catch (Throwable refusal) {
        log.debug("The executor of queue {} has no thread", partitions.queue(), refusal);
        refused.accept(task);
      }
    };
  }

  /**
   * Runs a call of the dead handler, which may block.
   *
   * @param executor runs the call. A handler's thread that has finished its handler runs the call
   *     itself, because there may be no other thread
   */
  void execute(DeadCall<T> call, Executor executor) {
    call.start(
        task ->
            executor.execute(
                () -> {
                  Runnable handlerEnded = BlockingGuard.handler();
                  try {
                    task.run();
                  } finally {
                    handlerEnded.run();
                  }
                }));
  }

  /**
   * Cancels a stage on a handler's thread, or else on a thread for callbacks that may block: the
   * cancel may run the user's code in dependent stages, and the caller may be the timer's thread.
   * If no thread accepts the task, the stage goes on.
   */
  void cancel(CompletionStage<?> stage) {
    Runnable cancel =
        () -> {
          try {
            stage.toCompletableFuture().cancel(true);
          } catch (Throwable e) {
            log.debug(
                "The stage of a handler of queue {} can't be cancelled", partitions.queue(), e);
          }
        };
    try {
      threads.execute(cancel);
    } catch (Throwable rejected) {
      cancelElsewhere(cancel);
    }
  }

  private void cancelElsewhere(Runnable cancel) {
    try {
      env.callbacks().executeBlocking(cancel);
    } catch (Throwable rejected) {
      log.warn(
          "No thread accepts the cancel of a stage of queue '{}'; the stage goes on",
          partitions.queue(),
          rejected);
    }
  }

  @Override
  public void ignoresTimeout(String id, Thread handler) {
    log().ignoresTimeout(id, timeout(), handler);
  }

  /** Returns the failure of an attempt whose handler exceeded its time-out. */
  Throwable timedOut(@Nullable Throwable failure) {
    HandlerTimeoutException exceeded = new HandlerTimeoutException(timeout());
    if (failure != null) {
      exceeded.addSuppressed(failure);
    }
    return exceeded;
  }

  private Duration timeout() {
    return options.handlerTimeout().orElse(Duration.ZERO);
  }
}
