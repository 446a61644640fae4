package io.punctual.internal;

import io.punctual.Delivery;
import io.punctual.event.Event;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler: the messages that wait for it, their deliveries while it runs, and their
 * settlement at the end. It holds one permit of its worker until then. Thread-safe.
 */
final class HandlerRun<T> implements Runnable, LeaseKeeper.Listener {
  private enum Phase {
    /** No handler has seen the messages. */
    WAITING,
    /** The handler has them. */
    RUNNING,
    /** Settled, or given back. */
    ENDED
  }

  /** The order of claims, and of ids within one. */
  static final Comparator<HandlerRun<?>> ORDER =
      Comparator.<HandlerRun<?>>comparingLong(run -> run.grant.token())
          .thenComparing(run -> run.messages.get(0).id());

  private final QueueWorker<T> worker;
  private final Grant grant;
  private final List<Reply.Leased> messages;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);
  private final ReentrantLock runnerLock = new ReentrantLock();
  private volatile List<ClientDelivery<T>> deliveries = List.of();
  private @Nullable Thread runner;
  private boolean awaiting;
  private volatile @Nullable LeaseKeeper<T> keeper;
  private volatile boolean timedOut;
  private volatile boolean stoppedByShutdown;

  HandlerRun(QueueWorker<T> worker, Grant grant, List<Reply.Leased> messages) {
    this.worker = worker;
    this.grant = grant;
    this.messages = messages;
  }

  /** Gives the messages back if no handler has started on them. */
  void releaseIfWaiting() {
    if (phase.compareAndSet(Phase.WAITING, Phase.ENDED)) {
      messages.forEach(message -> worker.release(message.id(), grant));
      worker.ended(this, false);
    }
  }

  @Override
  public void run() {
    if (!phase.compareAndSet(Phase.WAITING, Phase.RUNNING)) {
      return;
    }
    worker.started();
    List<ClientDelivery<T>> admitted = new ArrayList<>(messages.size());
    messages.forEach(message -> admit(message).ifPresent(admitted::add));
    deliveries = List.copyOf(admitted);
    if (deliveries.isEmpty()) {
      end(null);
    } else {
      handle();
    }
  }

  /** Returns the delivery of a message that a handler should see; deals with the others. */
  private Optional<ClientDelivery<T>> admit(Reply.Leased message) {
    long now = worker.env().nanoTime();
    FailureLog log = FailureLog.of(message.history());
    if (grant.isOver(now)) {
      worker.tooLate(message, grant);
    } else if (message.content().notAfterMillis() < grant.engineMillis(now)) {
      worker.bury(message.id(), message.attempt(), grant, log, "expired");
    } else if (message.attempt() > worker.options().retryPolicy().maxAttempts()) {
      int silent = message.attempt() - 1 - log.total();
      worker.bury(
          message.id(), message.attempt(), grant, log, silent + " leases expired unanswered");
    } else {
      return decode(message, log);
    }
    return Optional.empty();
  }

  private Optional<ClientDelivery<T>> decode(Reply.Leased message, FailureLog log) {
    T payload;
    try {
      payload = worker.codec().decode(message.content().payload());
    } catch (Throwable e) {
      String reason = "undecodable: " + FailureLog.describe(e);
      worker.bury(message.id(), message.attempt(), grant, log, reason);
      return Optional.empty();
    }
    return Optional.of(
        new ClientDelivery<>(worker.queue(), message, payload, grant, worker.env(), worker));
  }

  private void handle() {
    LeaseKeeper<T> minding = worker.keeper(deliveries, this);
    keeper = minding;
    deliveries.forEach(this::announce);
    enter();
    minding.start();
    try {
      CompletionStage<?> stage = stoppedByShutdown ? stopped() : call();
      leave(stage != null);
      if (stage == null) {
        end(null);
      } else {
        await(stage);
      }
    } catch (Throwable failure) {
      leave(false);
      end(failure);
    }
  }

  /** The handler's time, or the worker's, may have ended before there was a stage to wait for. */
  private void await(CompletionStage<?> stage) {
    CompletionStage<?> unused =
        stage.whenComplete(
            (result, failure) -> end(failure == null ? null : LaneSession.unwrap(failure)));
    if (timedOut) {
      timeIsOver();
    } else if (stoppedByShutdown) {
      stop();
    }
  }

  private @Nullable CompletionStage<?> call() throws Exception {
    return worker.call().call(List.<Delivery<T>>copyOf(deliveries));
  }

  private static CompletionStage<?> stopped() {
    return CompletableFuture.failedStage(new InterruptedException("The worker was closed"));
  }

  private void announce(ClientDelivery<T> delivery) {
    worker
        .env()
        .events()
        .publish(
            () ->
                new Event.MessageHandedOver(
                    delivery.queue(), delivery.id(), delivery.attempt(), delivery.lateness()));
  }

  private void enter() {
    runnerLock.lock();
    try {
      runner = Thread.currentThread();
    } finally {
      runnerLock.unlock();
    }
  }

  /** From here on nobody interrupts this thread for this handler. */
  private void leave(boolean awaitsStage) {
    runnerLock.lock();
    try {
      runner = null;
      awaiting = awaitsStage;
      if (timedOut || stoppedByShutdown || isAnyLost()) {
        boolean unused = Thread.interrupted();
      }
    } finally {
      runnerLock.unlock();
    }
  }

  private boolean isAnyLost() {
    return deliveries.stream().anyMatch(ClientDelivery::isKnownLost);
  }

  /** Interrupts the handler; returns whether there is only a stage left to wait for. */
  private boolean interrupt() {
    runnerLock.lock();
    try {
      if (runner != null) {
        runner.interrupt();
      }
      return awaiting;
    } finally {
      runnerLock.unlock();
    }
  }

  boolean isOnThisThread() {
    runnerLock.lock();
    try {
      return runner == Thread.currentThread();
    } finally {
      runnerLock.unlock();
    }
  }

  @Override
  public void leaseLost() {
    if (worker.options().interruptOnLeaseLost()) {
      boolean unused = interrupt();
    }
  }

  @Override
  public void timeIsOver() {
    timedOut = true;
    if (interrupt()) {
      end(null);
    }
  }

  /** The worker's grace is over. */
  void stop() {
    stoppedByShutdown = true;
    if (interrupt()) {
      end(new InterruptedException("The worker was closed"));
    }
  }

  /** The handler ignores its interrupt; its leases are left to run out. */
  void abandon() {
    LeaseKeeper<T> minding = keeper;
    if (minding != null) {
      minding.stop();
    }
  }

  private void end(@Nullable Throwable failure) {
    if (!phase.compareAndSet(Phase.RUNNING, Phase.ENDED)) {
      return;
    }
    LeaseKeeper<T> minding = keeper;
    if (minding != null) {
      minding.stop();
    }
    Throwable judged = timedOut ? worker.timeout(failure) : failure;
    try {
      deliveries.forEach(delivery -> settle(delivery, judged));
    } finally {
      worker.ended(this, true);
    }
  }

  private void settle(ClientDelivery<T> delivery, @Nullable Throwable failure) {
    if (delivery.isSettled()) {
      return;
    }
    try {
      if (failure == null) {
        delivery.ackPatiently();
      } else if (stoppedByShutdown && !timedOut) {
        CompletableFuture<?> unused = delivery.releaseAsync();
      } else {
        worker.failed(delivery, failure);
      }
    } catch (IllegalStateException settledMeanwhile) {
      worker.settledElsewhere(delivery, settledMeanwhile);
    }
  }
}
