package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.DeadHandler;
import io.punctual.internal.runtime.HandlerLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the dead handler with messages, one after another, and buries each message after its call.
 * Ends without a call if a lease is lost before the executor starts it. Thread-safe.
 */
final class DeadCall<T> implements Runnable, LeaseKeeper.Listener {
  private final List<Dying<T>> messages;
  private final DeadHandler<T> handler;
  private final Context<T> context;
  private final LeaseKeeper<T> keeper;
  private final Runnable whenEnded;
  private final AtomicBoolean started = new AtomicBoolean();
  private final ReentrantLock runnerLock = new ReentrantLock();

  @GuardedBy("runnerLock") private @Nullable Thread runner;

  private volatile boolean stopped;
  private volatile boolean interrupted;

  /** A message, and the reason of its death. */
  record Dying<T>(ClientDelivery<T> delivery, Death death) {}

  /** The worker or the manual claim that has the messages. */
  interface Context<T> {
    /** Returns a keeper of leases for a number of calls, which has not started. */
    LeaseKeeper<T> keeper(
        List<ClientDelivery<T>> deliveries, LeaseKeeper.Listener listener, int calls);

    boolean interruptsOnLeaseLost();

    /** A handler has run for twice its time-out. */
    void ignoresTimeout(String id, Thread handler);

    HandlerLog log();
  }

  DeadCall(
      List<Dying<T>> messages, DeadHandler<T> handler, Context<T> context, Runnable whenEnded) {
    this.messages = messages;
    this.handler = handler;
    this.context = context;
    this.whenEnded = whenEnded;
    this.keeper =
        context.keeper(messages.stream().map(Dying::delivery).toList(), this, messages.size());
  }

  /** Runs the calls on a thread of this executor; releases the messages if it refuses. */
  void start(Executor executor) {
    for (Dying<T> message : messages) {
      message.delivery().held().whenLost(this::endUnlessStarted);
      message.delivery().held().watchEnd();
    }
    try {
      executor.execute(this);
    } catch (Throwable refused) {
      context.log().executorRefuses(refused);
      stop();
    }
  }

  private void endUnlessStarted() {
    if (started.compareAndSet(false, true)) {
      whenEnded.run();
    }
  }

  @Override
  public void run() {
    if (!started.compareAndSet(false, true)) {
      return;
    }
    setRunner(Thread.currentThread());
    try {
      keeper.start();
      messages.forEach(this::handle);
    } finally {
      setRunner(null);
      keeper.stop();
      whenEnded.run();
    }
  }

  /** After a null runner, nothing interrupts this thread on behalf of this call. */
  private void setRunner(@Nullable Thread thread) {
    runnerLock.lock();
    try {
      runner = thread;
      if (thread == null && interrupted) {
        boolean unused = Thread.interrupted();
      }
    } finally {
      runnerLock.unlock();
    }
  }

  private void handle(Dying<T> message) {
    if (stopped) {
      settle(message, message.delivery()::releaseAsync);
      return;
    }
    Throwable thrown = call(message);
    if (thrown != null && stopped) {
      settle(message, message.delivery()::releaseAsync);
      return;
    }
    if (thrown != null) {
      context.log().deadHandlerThrew(message.delivery().id(), thrown);
    }
    settle(message, () -> message.delivery().bury(message.death().withThrown(thrown)));
  }

  private @Nullable Throwable call(Dying<T> message) {
    Death death = message.death();
    try {
      handler.onDead(message.delivery(), death.reason(), death.failure());
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private void settle(Dying<T> message, Supplier<CompletableFuture<?>> settlement) {
    if (message.delivery().isSettled()) {
      return;
    }
    try {
      CompletableFuture<?> unused = settlement.get();
    } catch (IllegalStateException settledMeanwhile) {
      context.log().settledTwice(message.delivery().id());
    }
  }

  /** Releases the messages, because the worker's grace is over. */
  void stop() {
    stopped = true;
    if (started.compareAndSet(false, true)) {
      messages.forEach(this::handle);
      whenEnded.run();
    } else {
      interrupt();
    }
  }

  /** Stops renewing the leases of a handler that ignores its interrupt. */
  void abandon() {
    keeper.stop();
  }

  private void interrupt() {
    runnerLock.lock();
    try {
      if (runner != null) {
        interrupted = true;
        runner.interrupt();
      }
    } finally {
      runnerLock.unlock();
    }
  }

  private @Nullable Thread runner() {
    runnerLock.lock();
    try {
      return runner;
    } finally {
      runnerLock.unlock();
    }
  }

  boolean isOnThisThread() {
    return runner() == Thread.currentThread();
  }

  @Override
  public void leaseLost() {
    if (context.interruptsOnLeaseLost()) {
      interrupt();
    }
  }

  @Override
  public void timeIsOver() {
    interrupt();
  }

  @Override
  public void timeIsOverAgain() {
    Thread stuck = runner();
    if (stuck != null) {
      context.ignoresTimeout(messages.get(0).delivery().id(), stuck);
    }
  }
}
