package io.punctual.internal.handler;

import io.punctual.deadletter.DeadHandler;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.delivery.Death;
import io.punctual.internal.delivery.DeliveryRules;
import io.punctual.internal.delivery.LossWatch;
import io.punctual.internal.runtime.HandlerLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the dead handler with several messages in sequence. A message that the handler has not
 * settled is buried after its call, or its next occurrence is scheduled; if the end of the worker
 * prevents or interrupts the call, the message is released. The task skips messages that were
 * settled, or whose leases are known to be lost. If only such messages are left before the executor
 * starts the task, the task ends without a call. Thread-safe.
 */
public final class DeadCall<T> implements Runnable, LeaseKeeper.LeaseListener {
  /** The delay of the next attempt if the executor refuses the dead handler. */
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(10);

  private final List<DeliveryRules.Dying<T>> messages;
  private final DeadHandler<T> handler;
  private final Context<T> context;
  private final Runnable whenEnded;
  private final AtomicBoolean started = new AtomicBoolean();
  private final InterruptibleCall call = new InterruptibleCall();

  /** The message in the running call of the dead handler; null while no call runs. */
  private volatile @Nullable ClientDelivery<T> current;

  private volatile @Nullable LeaseKeeper<T> keeper;
  private volatile boolean stopped;

  /** The worker or the manual claim that holds the messages. */
  public interface Context<T> {
    /** Returns a keeper of the leases during this number of calls; the caller starts the keeper. */
    LeaseKeeper<T> keeper(
        List<ClientDelivery<T>> deliveries, LeaseKeeper.LeaseListener listener, int calls);

    boolean interruptsOnLeaseLost();

    /** Reports that a handler has run for twice its time-out. */
    void ignoresTimeout(String id, Thread handler);

    /** Reports that the executor refuses the call; its messages are retried after this delay. */
    void refused(Throwable failure, Duration delay);

    HandlerLog log();
  }

  public DeadCall(
      List<DeliveryRules.Dying<T>> messages,
      DeadHandler<T> handler,
      Context<T> context,
      Runnable whenEnded) {
    this.messages = messages;
    this.handler = handler;
    this.context = context;
    this.whenEnded = whenEnded;
  }

  /**
   * Calls the dead handler on a thread of this executor. If the executor refuses, the messages are
   * retried later, because a release would repeat the last attempt at once without counting it.
   */
  public void start(Executor executor) {
    try {
      for (DeliveryRules.Dying<T> message : messages) {
        LossWatch loss = message.delivery().held().loss();
        loss.add(this::endIfNoneIsHeld);
        loss.watchEnd();
      }
      executor.execute(this);
    } catch (Throwable refused) {
      if (started.compareAndSet(false, true)) {
        try {
          context.refused(refused, AFTER_REFUSAL);
          messages.forEach(this::retry);
        } finally {
          whenEnded.run();
        }
      }
    }
  }

  /**
   * Ends the task before the executor starts it, if all messages are settled or their leases are
   * lost.
   */
  void endIfNoneIsHeld() {
    if (messages.stream().noneMatch(DeliveryRules.Dying::isHeld)) {
      endIfNotStarted();
    }
  }

  /**
   * Ends the task if the executor has not started it; its messages come back after their leases.
   */
  void endIfNotStarted() {
    if (started.compareAndSet(false, true)) {
      whenEnded.run();
    }
  }

  @Override
  public void run() {
    if (!started.compareAndSet(false, true)) {
      return;
    }
    try {
      List<DeliveryRules.Dying<T>> held =
          messages.stream().filter(DeliveryRules.Dying::isHeld).toList();
      if (!held.isEmpty()) {
        handle(held);
      }
    } finally {
      whenEnded.run();
    }
  }

  /**
   * Calls the dead handler with each message. The time-out counts from here, because the task may
   * have waited long for its thread.
   */
  private void handle(List<DeliveryRules.Dying<T>> held) {
    LeaseKeeper<T> minding =
        context.keeper(
            held.stream().map(DeliveryRules.Dying::delivery).toList(), this, held.size());
    keeper = minding;
    try {
      minding.start();
      held.forEach(this::handle);
    } finally {
      minding.stop();
    }
  }

  private void handle(DeliveryRules.Dying<T> message) {
    if (!message.isHeld()) {
      return;
    }
    if (stopped) {
      settle(message, message.delivery().async()::release);
      return;
    }
    Throwable thrown = call(message);
    if (thrown != null) {
      message.delivery().held().reopenIfUncommitted();
    }
    if (thrown != null && stopped) {
      settle(message, message.delivery().async()::release);
      return;
    }
    if (thrown != null) {
      context.log().deadHandlerThrew(message.delivery().id(), thrown);
    }
    settle(message, () -> message.delivery().giveUp(message.death().withThrown(thrown)));
  }

  /**
   * Calls the handler; returns the failure of the call, or null if it succeeded. A call that the
   * end of the worker interrupted has failed, even if the handler ignored the interrupt.
   */
  private @Nullable Throwable call(DeliveryRules.Dying<T> message) {
    Death death = message.death();
    Throwable thrown = null;
    current = message.delivery();
    call.enter();
    try {
      if (stopped) {
        throw new InterruptedException("The worker was closed");
      }
      handler.onDead(message.delivery(), death.reason(), death.failure());
    } catch (Throwable e) {
      thrown = e;
    }
    boolean wasInterrupted = call.leave();
    current = null;
    return thrown == null && wasInterrupted && stopped
        ? new InterruptedException("The worker was closed during the call")
        : thrown;
  }

  private void retry(DeliveryRules.Dying<T> message) {
    Death death = message.death();
    settle(message, () -> message.delivery().retry(AFTER_REFUSAL, death.detail(), death.failure()));
  }

  private void settle(DeliveryRules.Dying<T> message, Supplier<CompletableFuture<?>> settlement) {
    if (message.delivery().isSettled()) {
      return;
    }
    try {
      CompletableFuture<?> unused = settlement.get();
    } catch (IllegalStateException settledMeanwhile) {
      context.log().settledTwice(message.delivery().id());
    }
  }

  /**
   * Interrupts the dead handler and releases the remaining messages, because the worker's grace
   * period is over.
   */
  void stop() {
    stopped = true;
    if (started.compareAndSet(false, true)) {
      try {
        messages.forEach(this::handle);
      } finally {
        whenEnded.run();
      }
    } else {
      call.interrupt();
    }
  }

  /** Stops renewing the leases of a handler that ignores its interrupt. */
  void abandon() {
    LeaseKeeper<T> minding = keeper;
    if (minding != null) {
      minding.stop();
    }
  }

  boolean isOnThisThread() {
    return call.isOnThisThread();
  }

  @Override
  public void leaseLost() {
    if (context.interruptsOnLeaseLost() && isCurrentLost()) {
      call.interrupt();
    }
  }

  /**
   * Returns whether the lease of the message in the running call is lost. The loss of another
   * message's lease does not concern the call.
   */
  private boolean isCurrentLost() {
    ClientDelivery<T> handled = current;
    return handled != null && handled.held().isKnownLost();
  }

  @Override
  public void timeIsOver() {
    call.interrupt();
  }

  @Override
  public void timeIsOverAgain() {
    Thread stuck = call.thread();
    if (stuck != null) {
      context.ignoresTimeout(messages.get(0).delivery().id(), stuck);
    }
  }
}
