package io.punctual.internal.delivery;

import static java.util.Objects.requireNonNull;

import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Failure;
import io.punctual.Receipt;
import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.SettleOutcome;
import io.punctual.Transaction;
import io.punctual.event.Event;
import io.punctual.internal.delivery.Settlements.Step;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Environment;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link Delivery}: a message under a lease, for a handler or for the caller
 * of a manual claim. Thread-safe.
 */
public final class ClientDelivery<T> implements Delivery<T> {
  static final String NO_REASON = "retried by the consumer";

  private final SettlementContext settling;
  private final Environment env;
  private final Reply.Leased leased;
  private final Supplier<T> payload;
  private final ClaimLease lease;
  private final FailureLog failures;
  private final Duration lateness;
  private final HeldLease held;
  private final Settlements settlements;
  private final DeliveryRules<T> rules;

  ClientDelivery(
      SettlementContext settling,
      Reply.Leased leased,
      Supplier<T> payload,
      ClaimLease lease,
      DeliveryRules<T> rules) {
    this.settling = settling;
    this.env = settling.env();
    this.leased = leased;
    this.payload = payload;
    this.lease = lease;
    this.failures = FailureLog.of(leased.history());
    Occurrence occurrence = Occurrence.of(leased, failures, env.recurrences());
    this.settlements =
        new Settlements(settling.queue(), leased, lease.token(), failures, occurrence);
    this.held = new HeldLease(settling, leased.id(), leased.attempt(), lease);
    this.rules = rules;
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
    return RecurrenceHeaders.ofUser(leased.content().headers());
  }

  @Override
  public int attempt() {
    return leased.attempt();
  }

  @Override
  public boolean isLastAttempt() {
    return attempt() >= rules.maxAttempts();
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
  public Optional<Recurrence> recurrence() {
    return Optional.ofNullable(settlements.occurrence()).map(Occurrence::recurrence);
  }

  @Override
  public Instant occurrence() {
    Occurrence occurrence = settlements.occurrence();
    return occurrence == null ? dueAt() : occurrence.time();
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
  public Receipt receipt() {
    return new Receipt(id(), settlements.deliveryToken().text());
  }

  @Override
  public Duration remaining() {
    long nanos = held.isKnownLost() ? 0 : held.certainlyRemainingNanos();
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
    requireNonNull(callback, "callback");
    held.loss().add(() -> env.callbacks().execute(() -> runOnLost(callback)));
    held.loss().watchEnd();
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

  public HeldLease held() {
    return held;
  }

  /** Publishes that the consumer receives the message now. */
  public void handedOver() {
    env.events().publish(() -> new Event.MessageHandedOver(queue(), id(), attempt(), lateness()));
  }

  @Override
  public AsyncClientDelivery<T> async() {
    return new AsyncClientDelivery<>(this, env.callbacks());
  }

  @Override
  public SettleOutcome ack() {
    return await(this::acked);
  }

  CompletableFuture<SettleOutcome> acked() {
    return settle(settlements.processed(now()));
  }

  /** Waits for an answer without the user's executor, whose threads may all wait here. */
  private SettleOutcome await(Supplier<CompletableFuture<SettleOutcome>> settlement) {
    return env.waiting().await(() -> new Awaited.Settlement(toString(), id(), settlement.get()));
  }

  @Override
  public void ack(Transaction transaction) {
    settleIn(transaction, settlements.processed(now()));
  }

  /**
   * Acks the message, or schedules its next occurrence, in a call that may linger.
   *
   * @throws RecurrenceException if the next occurrence can't be computed
   */
  public void ackDeferrable() {
    Step step = settlements.processed(now());
    held.settleDeferrable(step.operation(), step.done());
  }

  @Override
  public SettleOutcome endRecurrence() {
    return await(this::ended);
  }

  CompletableFuture<SettleOutcome> ended() {
    return settle(settlements.removed());
  }

  @Override
  public SettleOutcome retry(Duration delay) {
    return retry(delay, NO_REASON);
  }

  @Override
  public SettleOutcome retry(Duration delay, String reason) {
    return await(() -> retried(delay, reason));
  }

  CompletableFuture<SettleOutcome> retried(Duration delay, String reason) {
    return retry(delay, requireNonNull(reason, "reason"), null);
  }

  public CompletableFuture<SettleOutcome> retry(
      Duration delay, String error, @Nullable Throwable failure) {
    return settle(settlements.retry(delay, error, failure, now()));
  }

  @Override
  public void retry(Transaction transaction, Duration delay, String reason) {
    requireNonNull(reason, "reason");
    settleIn(transaction, settlements.retry(delay, reason, null, now()));
  }

  @Override
  public SettleOutcome bury(String reason) {
    return await(() -> buried(reason));
  }

  CompletableFuture<SettleOutcome> buried(String reason) {
    return settle(settlements.bury(Death.byCaller(reason), now()));
  }

  @Override
  public void bury(Transaction transaction, String reason) {
    settleIn(transaction, settlements.bury(Death.byCaller(reason), now()));
  }

  /**
   * Gives a message up: buries it, or schedules its next occurrence if its recurrence continues
   * after this death. Also buries it if its next occurrence can't be computed.
   */
  public CompletableFuture<SettleOutcome> giveUp(Death death) {
    Step step;
    try {
      step = settlements.giveUp(death, now());
    } catch (RecurrenceException e) {
      settling.log().recurrenceEnded(id(), e);
      step = settlements.bury(death, now());
    }
    return settle(step);
  }

  /** Returns an estimate of the store's clock, which is the base of due times and claim times. */
  private Instant now() {
    return Instant.ofEpochMilli(lease.engineMillis(env.nanoTime()));
  }

  @Override
  public SettleOutcome release() {
    return await(this::released);
  }

  CompletableFuture<SettleOutcome> released() {
    return settle(settlements.release());
  }

  @Override
  public SettleOutcome defer(Duration delay) {
    return await(() -> deferred(delay));
  }

  CompletableFuture<SettleOutcome> deferred(Duration delay) {
    return settle(settlements.defer(delay));
  }

  @Override
  public SettleOutcome repeat(Due due) {
    return await(() -> repeated(due));
  }

  CompletableFuture<SettleOutcome> repeated(Due due) {
    return settle(settlements.repeat(due, null));
  }

  @Override
  public SettleOutcome repeat(Due due, T other) {
    return await(() -> repeated(due, other));
  }

  CompletableFuture<SettleOutcome> repeated(Due due, T other) {
    return settle(settlements.repeat(due, rules.content(leased, requireNonNull(other, "payload"))));
  }

  private CompletableFuture<SettleOutcome> settle(Step step) {
    CompletableFuture<SettleOutcome> answer = held.settle(step.operation(), step.done());
    step.line().accept(settling.log());
    return answer.copy();
  }

  private void settleIn(Transaction transaction, Step step) {
    held.settleIn(transaction, step.operation(), step.done());
    transaction.afterCommit(() -> step.line().accept(settling.log()));
  }

  @Override
  public SettleOutcome extend(Duration lease) {
    return await(() -> extended(lease));
  }

  CompletableFuture<SettleOutcome> extended(Duration lease) {
    return held.extend(Checks.lease(lease));
  }

  @Override
  public String toString() {
    return "Delivery[" + id() + " of " + queue() + ", attempt " + attempt() + "]";
  }
}
