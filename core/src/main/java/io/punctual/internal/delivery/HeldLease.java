package io.punctual.internal.delivery;

import io.punctual.LeaseLostException;
import io.punctual.SettleOutcome;
import io.punctual.Transaction;
import io.punctual.event.Event;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one delivery: the settlement of the delivery, and the extensions and the loss of the
 * lease. Thread-safe.
 */
public final class HeldLease {
  /** If less than this time of the lease remains, a settlement does not linger. */
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SettlementContext settling;
  private final Environment env;
  private final String id;
  private final int attempt;
  private final ClaimLease claim;
  private final AtomicBoolean settled = new AtomicBoolean();
  private final AtomicBoolean lost = new AtomicBoolean();
  private volatile LeaseEnd end;
  private volatile boolean cancelled;

  /** Whether a transaction settled the delivery, and is not known to have committed. */
  private volatile boolean uncommitted;

  private volatile Runnable whenExtended = () -> {};
  private final LossWatch loss;

  public HeldLease(SettlementContext settling, String id, int attempt, ClaimLease claim) {
    this.settling = settling;
    this.env = settling.env();
    this.id = id;
    this.attempt = attempt;
    this.claim = claim;
    this.end = claim.end();
    this.loss = new LossWatch(env, this);
  }

  public long remainingNanos(long nowNanos) {
    return end.nanos() - nowNanos;
  }

  /** Returns how much of the lease remains, even if the machine was suspended. */
  long certainlyRemainingNanos() {
    return end.remainingNanos(env);
  }

  boolean isSettled() {
    return settled.get();
  }

  /** Returns whether the client knows that the lease is lost. */
  public boolean isKnownLost() {
    return lost.get();
  }

  /** Returns whether the client knows that the message was cancelled. */
  boolean isCancelled() {
    return cancelled;
  }

  /**
   * Sets the callback that runs when an extension has changed the deadline, and when the delivery
   * is unsettled again.
   */
  public void whenExtended(Runnable callback) {
    whenExtended = callback;
  }

  /** Returns the watch, which runs callbacks at the loss of the lease. */
  public LossWatch loss() {
    return loss;
  }

  /**
   * Records that the lease is lost. If the loss was unknown before, reports it and runs the
   * callbacks.
   */
  public void lose() {
    if (markLost()) {
      settling.log().leaseLost(id, attempt);
      loss.lost();
    }
  }

  /** Records that the lease is lost; returns whether the loss was unknown before. */
  private boolean markLost() {
    boolean first = lost.compareAndSet(false, true);
    if (first) {
      settling.isolation().left(id, claim.token());
      env.events().publish(() -> new Event.LeaseLost(settling.queue(), id, attempt));
    }
    return first;
  }

  /**
   * Settles the delivery.
   *
   * @param done creates the event of a settlement that took effect
   * @throws IllegalStateException if the delivery was settled already
   */
  CompletableFuture<SettleOutcome> settle(Operation.Settlement operation, Supplier<Event> done) {
    return settle(operation, done, RepeatedSettlement::submit);
  }

  private CompletableFuture<SettleOutcome> settle(
      Operation.Settlement operation,
      Supplier<Event> done,
      Consumer<RepeatedSettlement> submission) {
    OutcomeCallback<SettleOutcome> ticket = begin();
    boolean awaited = false;
    try {
      CompletableFuture<SettleOutcome> answer =
          ticket.whenComplete((outcome, failure) -> settled(operation, outcome, failure, done));
      awaited = true;
      submission.accept(repeated(operation, ticket));
      return answer;
    } catch (StackOverflowError e) {
      throw e; // no stack is left to end what has begun
    } catch (RuntimeException | Error e) {
      if (awaited) {
        ticket.completeExceptionally(e);
      } else {
        settling.watch().answered();
      }
      throw e;
    }
  }

  /**
   * Settles the delivery in a call that may linger, because no caller waits for the outcome. The
   * call does not linger if the lease ends soon.
   */
  void settleDeferrable(Operation.Settlement operation, Supplier<Event> done) {
    if (remainingNanos(env.nanoTime()) < SOON_NANOS) {
      CompletableFuture<?> unused = settle(operation, done);
    } else {
      CompletableFuture<?> unused = settle(operation, done, RepeatedSettlement::submitDeferrable);
    }
  }

  private RepeatedSettlement repeated(Operation.Settlement operation, OperationCallback callback) {
    return new RepeatedSettlement(
        settling, claim.session(), operation, () -> remainingNanos(env.nanoTime()) > 0, callback);
  }

  /**
   * Settles the delivery inside a transaction. Renewals stop first, because they would wait for the
   * end of the transaction. After a rollback, a further transaction can settle the delivery.
   *
   * @param done creates the event of a settlement that was committed
   * @throws LeaseLostException if the lease is lost
   */
  void settleIn(Transaction transaction, Operation.Settlement operation, Supplier<Event> done) {
    BlockingGuard.requireBlockable();
    Objects.requireNonNull(transaction, "transaction");
    // The user may repeat the transaction after a rollback, and so settle again. If the first
    // transaction has committed, the store refuses the second settlement.
    if (uncommitted) {
      settled.set(true);
    } else {
      markSettled();
    }
    SettleOutcome outcome;
    try {
      Partition partition = claim.session().partition();
      outcome = outcome(partition.applyIn(transaction, List.of(operation)).get(0));
    } catch (RuntimeException e) {
      reopen();
      throw OperationFailures.refused(operation, settling.queue(), e);
    } catch (Error e) {
      reopen();
      throw e;
    }
    if (outcome == SettleOutcome.LEASE_LOST) {
      lose();
      throw new LeaseLostException(
          "The lease of '"
              + id
              + "' in queue '"
              + settling.queue()
              + "' is lost, and a different consumer may process the message: roll back");
    }
    uncommitted = true;
    transaction.afterCommit(() -> committed(operation, outcome, done));
  }

  private void committed(
      Operation.Settlement operation, SettleOutcome outcome, Supplier<Event> done) {
    uncommitted = false;
    loss.forget();
    settling.isolation().left(id, claim.token());
    report(operation, outcome, done);
  }

  /** Returns whether a transaction settled the delivery, and is not known to have committed. */
  public boolean isUncommitted() {
    return uncommitted;
  }

  /**
   * Extends the lease to find out whether the transaction that settled the delivery has committed.
   * If it has, the outcome is {@link SettleOutcome#LEASE_LOST}.
   */
  public CompletableFuture<SettleOutcome> probe(long leaseMillis) {
    settled.set(true);
    return extend(leaseMillis);
  }

  /**
   * Records that the transaction that settled the delivery was rolled back, so that the delivery
   * can be settled again.
   */
  public void rolledBack() {
    uncommitted = false;
    reopen();
  }

  /**
   * Makes a second settlement possible if the dead handler settled the delivery in a transaction
   * and then threw. The transaction has probably rolled back; if it has committed, the store
   * refuses the second settlement.
   */
  public void reopenIfUncommitted() {
    if (uncommitted) {
      reopen();
    }
  }

  /** Makes the delivery unsettled again, and continues the renewals and the watch of the lease. */
  private void reopen() {
    settled.set(false);
    loss.endChanged();
    whenExtended.run();
  }

  private void markSettled() {
    if (!settled.compareAndSet(false, true)) {
      throw new IllegalStateException("The delivery of '" + id + "' was settled already");
    }
  }

  private OutcomeCallback<SettleOutcome> begin() {
    markSettled();
    loss.forget();
    settling.isolation().left(id, claim.token());
    OutcomeCallback<SettleOutcome> ticket = new OutcomeCallback<>(HeldLease::outcome);
    settling.watch().submitted();
    return ticket;
  }

  private static SettleOutcome outcome(Outcome outcome) {
    return OutcomeCallback.as(Outcome.OfSettlement.class, outcome).outcome();
  }

  private void settled(
      Operation.Settlement operation,
      @Nullable SettleOutcome outcome,
      @Nullable Throwable failure,
      Supplier<Event> done) {
    try {
      if (outcome == SettleOutcome.LEASE_LOST) {
        boolean unreported = !uncommitted && markLost();
        if (unreported && !isPlainRelease(operation)) {
          settling.log().refused(name(operation), id, attempt);
        }
      } else if (failure != null) {
        settling.log().unsettled(name(operation), id, failure);
      } else {
        report(operation, outcome, done);
      }
    } finally {
      settling.watch().answered();
    }
  }

  private static String name(Operation.Settlement operation) {
    return operation.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private void report(
      Operation.Settlement operation, @Nullable SettleOutcome outcome, Supplier<Event> done) {
    if (outcome == SettleOutcome.DONE) {
      if (operation instanceof Operation.Bury) {
        settling.watch().buried();
      }
      env.events().publish(done);
    } else if (outcome == SettleOutcome.DISCARDED) {
      env.events().publish(() -> new Event.MessageDiscarded(settling.queue(), id, attempt));
    }
  }

  /**
   * Returns whether the operation is a release without a new due time. A lost lease also returns
   * the message to the queue, so a refused release is not logged.
   */
  private static boolean isPlainRelease(Operation.Settlement operation) {
    return operation instanceof Operation.Release release && release.due() == null;
  }

  public CompletableFuture<SettleOutcome> extend(long leaseMillis) {
    Extension extension = new Extension(leaseMillis);
    claim.session().submit(new Operation.Extend(id, claim.token(), leaseMillis), null, extension);
    return extension.answer;
  }

  /** An extension in flight. The new deadline counts from its first sending. */
  private final class Extension implements OperationCallback {
    private final long leaseMillis;
    private final long wallAheadNanos = env.wallAheadNanos();
    private final CompletableFuture<SettleOutcome> answer = new CompletableFuture<>();

    Extension(long leaseMillis) {
      this.leaseMillis = leaseMillis;
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {
      try {
        SettleOutcome result = outcome(outcome);
        if (result != SettleOutcome.LEASE_LOST) {
          if (result == SettleOutcome.CANCELLED) {
            cancelled = true;
          }
          long nanos = firstSentNanos + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
          end = new LeaseEnd(nanos, wallAheadNanos);
          settling.isolation().extended(id, claim.token(), nanos);
          whenExtended.run();
          loss.endChanged();
        } else if (!isSettled()) {
          lose();
        }
        answer.complete(result);
      } catch (RuntimeException | Error e) {
        answer.completeExceptionally(e);
      }
    }

    @Override
    public void failed(RuntimeException failure) {
      answer.completeExceptionally(failure);
    }
  }
}
