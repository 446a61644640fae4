package io.punctual.internal.handler;

import io.punctual.Delivery;
import io.punctual.HandlerTimeoutException;
import io.punctual.RecurrenceException;
import io.punctual.internal.delivery.ClaimedMessage;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.StoreFailures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A call of a handler. It holds the messages while they wait for a thread, holds their deliveries
 * while the handler runs, and settles the deliveries at the end. It holds a permit of its worker
 * until the call, and the calls of the dead handler and the probes that it has started, have ended.
 * Thread-safe.
 */
final class HandlerRun<T> implements Runnable, LeaseKeeper.LeaseListener {
  private enum Phase {
    /** No handler has received the messages. */
    WAITING,
    /** The handler has the messages. */
    RUNNING,
    /** The messages are settled or released. */
    ENDED
  }

  /** Compares runs by the fencing tokens of their first messages, and then by the ids. */
  static final Comparator<HandlerRun<?>> ORDER =
      Comparator.<HandlerRun<?>>comparingLong(run -> run.messages.get(0).lease().token())
          .thenComparing(run -> run.messages.get(0).id());

  private final Handlers<T> handlers;
  private final List<ClaimedMessage> messages;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);
  private final InterruptibleCall call = new InterruptibleCall();
  private volatile List<ClientDelivery<T>> deliveries = List.of();

  /** The stage that the handler returned; null if it has returned none. */
  private volatile @Nullable HandlerStage awaited;

  /** The executor's thread while it executes {@link #run}; otherwise null. */
  private volatile @Nullable Thread given;

  /** The calls of the handler and the dead handler, and the probes, that have not ended. */
  private final AtomicInteger openCalls = new AtomicInteger(1);

  private final List<DeadCall<T>> deadCalls = new CopyOnWriteArrayList<>();
  private volatile @Nullable LeaseKeeper<T> keeper;
  private volatile boolean timedOut;
  private volatile boolean stoppedByShutdown;

  /**
   * Whether this object interrupted the handler's thread. A handler that then returns normally may
   * have swallowed the interrupt, so its work may be incomplete.
   */
  private volatile boolean cutShort;

  HandlerRun(Handlers<T> handlers, List<ClaimedMessage> messages) {
    this.handlers = handlers;
    this.messages = messages;
  }

  /** Releases the messages if the handler has not started. */
  void releaseIfWaiting() {
    if (phase.compareAndSet(Phase.WAITING, Phase.ENDED)) {
      try {
        messages.forEach(handlers.rules()::release);
      } finally {
        handlers.ended(this, false);
      }
    }
  }

  /**
   * Releases the messages if the executor has not started the handler, and one of their leases ends
   * before {@code latestNanos}; returns whether it did. Also ends the calls of the dead handler
   * that the executor has not started, and that hold no message any more.
   */
  boolean releaseIfWaitingAt(long latestNanos) {
    deadCalls.forEach(DeadCall::endIfNoneIsHeld);
    if (messages.stream().noneMatch(each -> each.lease().isOver(latestNanos))
        || !phase.compareAndSet(Phase.WAITING, Phase.ENDED)) {
      return false;
    }
    try {
      messages.forEach(handlers.rules()::tooLate);
    } finally {
      handlers.ended(this, false);
    }
    return true;
  }

  int size() {
    return messages.size();
  }

  @Override
  public void run() {
    if (!phase.compareAndSet(Phase.WAITING, Phase.RUNNING)) {
      return;
    }
    handlers.started();
    given = Thread.currentThread();
    try {
      admit();
    } catch (Throwable failure) {
      end(failure); // No handler has the messages, and their leases are not renewed.
      handlers.log().intakeFailed(messages.get(0).id(), failure);
    } finally {
      given = null;
    }
  }

  private void admit() {
    List<ClientDelivery<T>> admitted = new ArrayList<>(messages.size());
    List<DeliveryRules.Dying<T>> dying = new ArrayList<>();
    for (ClaimedMessage message : messages) {
      handlers.rules().admit(message, dying::add).ifPresent(admitted::add);
    }
    deliveries = List.copyOf(admitted);
    if (deliveries.isEmpty()) {
      callDeadHandler(dying, Runnable::run);
      end(null);
    } else {
      List<Runnable> refused = new ArrayList<>();
      callDeadHandler(dying, handlers.threadsOr(refused::add));
      try {
        handle();
      } finally {
        refused.forEach(Runnable::run);
      }
    }
  }

  private void handle() {
    try {
      LeaseKeeper<T> minding = handlers.keeper(deliveries, this, 1);
      keeper = minding;
      deliveries.forEach(handlers::handedOver);
      call.enter();
      minding.start();
      HandlerStage stage = stoppedByShutdown ? stopped() : call();
      leave(stage);
      if (stage == null) {
        end(null);
      } else {
        await(stage);
      }
    } catch (Throwable failure) {
      leave(null);
      end(failure);
    }
  }

  /**
   * Registers for the end of the stage. Reacts at once if the time-out, the end of the grace period
   * or the loss of a lease came before the handler returned the stage.
   */
  private void await(HandlerStage stage) {
    CompletionStage<?> unused =
        stage
            .ended()
            .whenComplete(
                (result, failure) -> end(failure == null ? null : StoreFailures.unwrap(failure)));
    if (timedOut) {
      timeIsOver();
    } else if (stoppedByShutdown) {
      stop();
    } else if (isAnyLost()) {
      leaseLost();
    }
  }

  private @Nullable HandlerStage call() throws Exception {
    Runnable handlerEnded = BlockingGuard.handler();
    try {
      return handlers.call().call(List.<Delivery<T>>copyOf(deliveries));
    } finally {
      handlerEnded.run();
    }
  }

  private static HandlerStage stopped() {
    return HandlerStage.of(
        CompletableFuture.failedStage(new InterruptedException("The worker was closed")));
  }

  /** Ends the part of the call that holds a thread. */
  private void leave(@Nullable HandlerStage stage) {
    if (call.leave()) {
      cutShort = true;
    }
    awaited = stage;
  }

  private boolean isAnyLost() {
    return deliveries.stream().anyMatch(delivery -> delivery.held().isKnownLost());
  }

  /** Interrupts the handler's thread if the handler still runs; returns its stage, or null. */
  private @Nullable HandlerStage interrupt() {
    call.interrupt();
    return awaited;
  }

  boolean isOnThisThread() {
    return call.isOnThisThread() || deadCalls.stream().anyMatch(DeadCall::isOnThisThread);
  }

  @Override
  public void leaseLost() {
    HandlerStage stage = handlers.interruptsOnLeaseLost() ? interrupt() : null;
    if (stage != null) {
      handlers.cancel(stage.stage());
    }
  }

  @Override
  public void timeIsOver() {
    timedOut = true;
    endStage(handlers.timedOut(null));
  }

  @Override
  public void timeIsOverAgain() {
    Thread stuck = call.thread();
    if (stuck != null) {
      handlers.ignoresTimeout(messages.get(0).id(), stuck);
    }
  }

  /**
   * Interrupts the handler; if the handler has returned a stage, ends the call and cancels the
   * stage.
   */
  private void endStage(Throwable failure) {
    HandlerStage stage = interrupt();
    if (stage != null) {
      stage.end(failure);
      handlers.cancel(stage.stage());
    }
  }

  /**
   * Interrupts the handler or ends its stage, and stops the calls of the dead handler, because the
   * worker's grace period is over.
   */
  void stop() {
    stoppedByShutdown = true;
    endStage(new InterruptedException("The worker was closed"));
    deadCalls.forEach(DeadCall::stop);
  }

  /** Stops renewing the leases of a handler or dead handler that ignores its interrupt. */
  void abandon() {
    LeaseKeeper<T> minding = keeper;
    if (minding != null) {
      minding.stop();
    }
    deadCalls.forEach(DeadCall::abandon);
  }

  private void end(@Nullable Throwable failure) {
    if (!phase.compareAndSet(Phase.RUNNING, Phase.ENDED)) {
      return;
    }
    try {
      LeaseKeeper<T> minding = keeper;
      if (minding != null) {
        minding.stop();
      }
      handlers.handled(deliveries.size());
      Throwable judged = judged(failure);
      List<DeliveryRules.Dying<T>> dying = judged == null ? List.of() : new ArrayList<>();
      deliveries.forEach(delivery -> settle(delivery, judged, dying));
      boolean isFree = given == Thread.currentThread();
      callDeadHandler(dying, isFree ? Runnable::run : handlers.threads());
    } finally {
      callEnded();
    }
  }

  private @Nullable Throwable judged(@Nullable Throwable failure) {
    return timedOut && !(failure instanceof HandlerTimeoutException)
        ? handlers.timedOut(failure)
        : failure;
  }

  private void callDeadHandler(List<DeliveryRules.Dying<T>> dying, Executor executor) {
    if (dying.isEmpty()) {
      return;
    }
    DeadCall<T> dead =
        new DeadCall<>(dying, handlers.rules().deadHandler(), handlers, this::callEnded);
    deadCalls.add(dead);
    openCalls.incrementAndGet();
    if (stoppedByShutdown) {
      dead.stop();
    } else {
      try {
        handlers.execute(dead, executor);
      } catch (Throwable e) {
        dead.endIfNotStarted();
        throw e;
      }
    }
  }

  private void callEnded() {
    if (openCalls.decrementAndGet() == 0) {
      handlers.ended(this, true);
    }
  }

  private void settle(
      ClientDelivery<T> delivery, @Nullable Throwable failure, List<DeliveryRules.Dying<T>> dying) {
    if (delivery.held().isUncommitted()) {
      try {
        settleIfRolledBack(delivery, failure == null ? silentRollback(delivery.id()) : failure);
      } catch (Throwable e) { // see settleOpen
        handlers.log().unsettled("settlement", delivery.id(), e);
      }
    } else if (!delivery.isSettled()) {
      settleOpen(delivery, failure, dying);
    }
  }

  /** Returns the failure of a handler that returned after its transaction had rolled back. */
  private static Throwable silentRollback(String id) {
    return new IllegalStateException(
        "The handler of '"
            + id
            + "' returned, but the transaction in which it settled the message rolled back. Let the"
            + " handler throw if its transaction rolls back");
  }

  private void settleIfRolledBack(ClientDelivery<T> delivery, Throwable failure) {
    CommitProbe.Listener listener =
        new CommitProbe.Listener() {
          @Override
          public void rolledBack() {
            delivery.held().rolledBack();
            List<DeliveryRules.Dying<T>> dying = new ArrayList<>();
            settleOpen(delivery, failure, dying);
            callDeadHandler(dying, handlers.threads());
          }

          @Override
          public void ended() {
            callEnded();
          }

          @Override
          public boolean isStopped() {
            return stoppedByShutdown;
          }
        };
    CommitProbe probe = handlers.commitProbe(delivery.held(), listener);
    openCalls.incrementAndGet();
    probe.start();
  }

  private void settleOpen(
      ClientDelivery<T> delivery, @Nullable Throwable failure, List<DeliveryRules.Dying<T>> dying) {
    try {
      if (failure == null ? cutShort : stoppedByShutdown && !timedOut) {
        CompletableFuture<?> unused = delivery.async().release();
      } else if (failure == null) {
        ack(delivery, dying);
      } else {
        handlers.rules().failed(delivery, failure, dying::add);
      }
    } catch (IllegalStateException settledMeanwhile) {
      handlers.log().settledTwice(delivery.id());
    } catch (Throwable e) {
      // The other messages of the call must still be settled.
      handlers.log().unsettled("settlement", delivery.id(), e);
    }
  }

  /** Acks a message. A recurring message whose next occurrence is unknown counts as failed. */
  private void ack(ClientDelivery<T> delivery, List<DeliveryRules.Dying<T>> dying) {
    try {
      delivery.ackDeferrable();
    } catch (RecurrenceException e) {
      handlers.rules().failed(delivery, e, dying::add);
    }
  }
}
