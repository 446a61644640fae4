package io.punctual.internal.worker;

import io.punctual.DeadReason;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Failure;
import io.punctual.SettleOutcome;
import io.punctual.Transaction;
import io.punctual.event.Event;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.FailureLog;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link Delivery}: a message under a lease, for a handler or for the caller
 * of a manual claim. Thread-safe.
 */
final class ClientDelivery<T> implements Delivery<T> {
  /** If less than this time of the lease remains, a settlement does not linger. */
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Settling settling;
  private final Environment env;
  private final Reply.Leased leased;
  private final Supplier<T> payload;
  private final ClaimLease lease;
  private final FailureLog failures;
  private final Duration lateness;
  private final HeldLease held;
  private final Intake<T> intake;

  ClientDelivery(
      Settling settling,
      Reply.Leased leased,
      Supplier<T> payload,
      ClaimLease lease,
      Intake<T> intake) {
    this.settling = settling;
    this.env = settling.env();
    this.leased = leased;
    this.payload = payload;
    this.lease = lease;
    this.failures = FailureLog.of(leased.history());
    this.held = new HeldLease(settling, leased.id(), leased.attempt(), lease);
    this.intake = intake;
    this.lateness =
        Duration.of(lease.latenessMicros(leased.dueMillis(), env.nanoTime()), ChronoUnit.MICROS);
  }

  @Override
  public String id() {
    return leased.id();
  }

  @Override
  public String queue() {
    return settling.queue();
  }

  @Override
  public T payload() {
    return payload.get();
  }

  @Override
  public Map<String, String> headers() {
    return leased.content().headers();
  }

  @Override
  public int attempt() {
    return leased.attempt();
  }

  @Override
  public boolean isLastAttempt() {
    return attempt() >= intake.maxAttempts();
  }

  @Override
  public Optional<Instant> notAfter() {
    return leased.content().notAfter();
  }

  @Override
  public Instant dueAt() {
    return Instant.ofEpochMilli(leased.dueMillis());
  }

  @Override
  public Instant claimedAt() {
    return Instant.EPOCH.plus(lease.engineMicros(), ChronoUnit.MICROS);
  }

  @Override
  public Duration lateness() {
    return lateness;
  }

  @Override
  public List<Failure> failures() {
    return failures.last();
  }

  @Override
  public long fencingToken() {
    return lease.token();
  }

  @Override
  public Duration remaining() {
    long nanos = held.isKnownLost() ? 0 : held.remainingNanos(env.nanoTime());
    return Duration.ofNanos(Math.max(0, nanos));
  }

  @Override
  public boolean isLost() {
    return remaining().isZero();
  }

  @Override
  public boolean isCancelled() {
    return held.isCancelled();
  }

  @Override
  public void onLost(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    held.whenLost(() -> env.callbacks().execute(() -> runOnLost(callback)));
    held.watchEnd();
  }

  private void runOnLost(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable e) {
      settling.log().onLostThrew(id(), e);
    }
  }

  @Override
  public boolean isSettled() {
    return held.isSettled();
  }

  /** Returns whether the lease of the previous attempt ended without a settlement. */
  boolean followsUnsettledAttempt() {
    return attempt() > 1 && !failures.hasFailureOf(attempt() - 1);
  }

  HeldLease held() {
    return held;
  }

  /** Publishes that the consumer receives the message now. */
  void handedOver() {
    env.events().publish(() -> new Event.MessageHandedOver(queue(), id(), attempt(), lateness()));
  }

  @Override
  public SettleOutcome ack() {
    return settled(this::ackAsync);
  }

  private SettleOutcome settled(Supplier<CompletableFuture<SettleOutcome>> settlement) {
    return env.waiting().await(() -> new Awaited.Settlement(toString(), id(), settlement.get()));
  }

  @Override
  public CompletableFuture<SettleOutcome> ackAsync() {
    return settle(new Operation.Ack(id(), fencingToken()), this::acked);
  }

  @Override
  public void ack(Transaction transaction) {
    held.settleIn(transaction, new Operation.Ack(id(), fencingToken()), this::acked);
  }

  /** Acks the message in a call that may linger, because no caller waits for the outcome. */
  void ackDeferrable() {
    if (held.remainingNanos(env.nanoTime()) < SOON_NANOS) {
      CompletableFuture<?> unused = ackAsync();
      return;
    }
    held.settleDeferrable(new Operation.Ack(id(), fencingToken()), this::acked);
  }

  private Event acked() {
    return new Event.MessageAcked(queue(), id(), attempt());
  }

  @Override
  public SettleOutcome retry(Duration delay) {
    return settled(() -> retryAsync(delay));
  }

  @Override
  public CompletableFuture<SettleOutcome> retryAsync(Duration delay) {
    return retry(delay, "retried by the consumer", null);
  }

  @Override
  public SettleOutcome retry(Duration delay, String reason) {
    return settled(() -> retryAsync(delay, reason));
  }

  @Override
  public CompletableFuture<SettleOutcome> retryAsync(Duration delay, String reason) {
    return retry(delay, Objects.requireNonNull(reason, "reason"), null);
  }

  CompletableFuture<SettleOutcome> retry(
      Duration delay, String error, @Nullable Throwable failure) {
    CompletableFuture<SettleOutcome> answer =
        settle(retryOperation(delay, error), () -> retried(delay, failure));
    if (failure != null) {
      settling.log().retry(id(), attempt(), now().plus(delay), failure);
    }
    return answer;
  }

  private Operation.Retry retryOperation(Duration delay, String error) {
    DueTime due = new DueTime(true, DueTime.delayMillis(delay));
    return new Operation.Retry(id(), fencingToken(), due, historyWith(error).toBytes());
  }

  private Event retried(Duration delay, @Nullable Throwable failure) {
    return new Event.MessageRetried(queue(), id(), attempt(), delay, failure);
  }

  @Override
  public void retry(Transaction transaction, Duration delay, String reason) {
    Operation.Retry retry = retryOperation(delay, Objects.requireNonNull(reason, "reason"));
    held.settleIn(transaction, retry, () -> retried(delay, null));
  }

  @Override
  public SettleOutcome bury(String reason) {
    return settled(() -> buryAsync(reason));
  }

  @Override
  public CompletableFuture<SettleOutcome> buryAsync(String reason) {
    return bury(Death.of(DeadReason.BY_CALLER, Objects.requireNonNull(reason, "reason")));
  }

  @Override
  public void bury(Transaction transaction, String reason) {
    Death death = Death.of(DeadReason.BY_CALLER, Objects.requireNonNull(reason, "reason"));
    held.settleIn(transaction, buryOperation(death), () -> buried(death));
    transaction.afterCommit(
        () -> settling.log().deadLetter(id(), attempt(), death.reason(), death.detail(), null));
  }

  private Operation.Bury buryOperation(Death death) {
    byte[] history = history(death).buriedFor(death.reason(), death.detail()).toBytes();
    return new Operation.Bury(id(), fencingToken(), history);
  }

  CompletableFuture<SettleOutcome> bury(Death death) {
    CompletableFuture<SettleOutcome> answer = settle(buryOperation(death), () -> buried(death));
    settling.log().deadLetter(id(), attempt(), death.reason(), death.detail(), death.failure());
    return answer;
  }

  private FailureLog history(Death death) {
    FailureLog history = death.failure() == null ? failures : historyWith(death.detail());
    Throwable thrown = death.thrown();
    return thrown == null
        ? history
        : history.with(
            new Failure(attempt(), now(), "the dead handler: " + FailureLog.describe(thrown)));
  }

  private Event buried(Death death) {
    return new Event.MessageBuried(
        queue(), id(), attempt(), death.reason(), death.detail(), death.failure());
  }

  private FailureLog historyWith(String error) {
    return failures.with(new Failure(attempt(), now(), error));
  }

  /** Returns an estimate of the store's clock, which is the base of due times and claim times. */
  private Instant now() {
    return Instant.ofEpochMilli(lease.engineMillis(env.nanoTime()));
  }

  @Override
  public SettleOutcome release() {
    return settled(this::releaseAsync);
  }

  @Override
  public CompletableFuture<SettleOutcome> releaseAsync() {
    return release(null, null);
  }

  @Override
  public SettleOutcome defer(Duration delay) {
    return settled(() -> deferAsync(delay));
  }

  @Override
  public CompletableFuture<SettleOutcome> deferAsync(Duration delay) {
    return release(new DueTime(true, DueTime.delayMillis(delay)), delay);
  }

  private CompletableFuture<SettleOutcome> release(
      @Nullable DueTime due, @Nullable Duration delay) {
    return settle(
        new Operation.Release(id(), fencingToken(), due),
        () -> new Event.MessageReleased(queue(), id(), attempt(), delay));
  }

  @Override
  public SettleOutcome repeat(Due due) {
    return settled(() -> repeatAsync(due));
  }

  @Override
  public CompletableFuture<SettleOutcome> repeatAsync(Due due) {
    return repeatWith(due, null);
  }

  @Override
  public SettleOutcome repeat(Due due, T other) {
    return settled(() -> repeatAsync(due, other));
  }

  @Override
  public CompletableFuture<SettleOutcome> repeatAsync(Due due, T other) {
    return repeatWith(due, intake.content(leased, Objects.requireNonNull(other, "payload")));
  }

  private CompletableFuture<SettleOutcome> repeatWith(Due due, @Nullable Content content) {
    return settle(
        new Operation.Repeat(id(), fencingToken(), DueTime.of(due), content),
        () -> new Event.MessageRepeated(queue(), id(), attempt(), due));
  }

  private CompletableFuture<SettleOutcome> settle(
      Operation.Settlement operation, Supplier<Event> done) {
    return env.callbacks().of(held.settle(operation, done).copy());
  }

  @Override
  public SettleOutcome extend(Duration lease) {
    return settled(() -> extendAsync(lease));
  }

  @Override
  public CompletableFuture<SettleOutcome> extendAsync(Duration lease) {
    return env.callbacks().of(held.extend(Checks.lease(lease)));
  }

  @Override
  public String toString() {
    return "Delivery[" + id() + " of " + queue() + ", attempt " + attempt() + "]";
  }
}
