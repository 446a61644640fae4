package io.punctual.lock.internal.attempt;

import io.punctual.NotConfirmedException;
import io.punctual.PunctualException;
import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockConfirmation;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.hold.LockLease;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.redis.client.connection.RedisReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Confirms a grant before the caller gets the lock. This class first renews the lease if the
 * granted lease, or the rest of it, is too short. If the options require it, this class then waits
 * for the replicas or the disk. Thread-safe.
 */
final class GrantConfirmation {
  private static final String TOO_LATE = "its lease ended before the replicas had confirmed it";
  private static final String TOO_SHORT = "the wait was over before the replicas had confirmed it";

  private static final long GRANT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LockClient client;
  private final Attempt attempt;
  private final LockOptions options;
  private final FailureTracker failures;
  private volatile boolean isBusy;
  private volatile boolean awaitsReplicas;

  GrantConfirmation(Attempt attempt, FailureTracker failures) {
    this.client = attempt.client();
    this.attempt = attempt;
    this.options = attempt.handle().options();
    this.failures = failures;
  }

  /**
   * A confirmed grant.
   *
   * @param token the fencing token; 0 for locks without tokens
   * @param untilNanos the time until which the client may rely on the lease
   */
  record Certain(long token, long untilNanos) {}

  /**
   * Confirms a grant.
   *
   * @param millis the length of the granted lease
   * @param until the time until which the client may rely on the lease
   * @return the confirmed grant, or null if the server does not confirm that the handle holds the
   *     lock; fails with a {@link NotConfirmedException} if the replicas do not confirm the grant
   */
  CompletableFuture<@Nullable Certain> confirm(long token, long millis, long until) {
    // The watchdog renews the short lease of a hand-over, but only after the confirmation.
    boolean isRenewedLater = options.renewed() && !options.isDurable();
    boolean isShort = millis < options.leaseMillis() && !isRenewedLater;
    boolean isLate = until - client.nanoTime() < TimeUnit.MILLISECONDS.toNanos(millis) / 3;
    return isShort || isLate ? renew() : awaitReplicas(new Certain(token, until));
  }

  private CompletableFuture<@Nullable Certain> renew() {
    isBusy = true;
    long sentAt = client.nanoTime();
    failures.asked(sentAt);
    return client
        .requests()
        .renew(List.of(attempt.handle()))
        .handle((answer, failure) -> failure == null ? answer : null)
        .thenCompose(answer -> renewed(answer, LockLease.until(sentAt, options.leaseMillis())));
  }

  private CompletableFuture<@Nullable Certain> renewed(@Nullable RedisReply answer, long until) {
    long token = answer == null ? LockRequests.NOT_HELD : new LockReplyReader(answer).number();
    return answer == null || token == LockRequests.NOT_HELD
        ? CompletableFuture.completedFuture(null)
        : awaitReplicas(new Certain(token, until));
  }

  private CompletableFuture<@Nullable Certain> awaitReplicas(Certain grant) {
    if (!options.isDurable()) {
      return CompletableFuture.completedFuture(grant);
    }
    isBusy = true;
    awaitsReplicas = true;
    long millis = LockLease.millisUntil(grant.untilNanos(), client.nanoTime());
    return LockConfirmation.confirm(client, attempt.handle().lasting(millis), grant.token())
        .thenApply(why -> isOver(grant) ? TOO_LATE : why)
        .thenApply(
            why -> {
              if (why != null) {
                throw notConfirmed(why);
              }
              return grant;
            });
  }

  private boolean isOver(Certain grant) {
    return grant.untilNanos - client.nanoTime() <= 0;
  }

  /**
   * Returns how long a wait that is over still waits for the confirmation: 0 if the confirmation
   * waits, or has waited, for a reply of the server.
   */
  long graceNanos() {
    return isBusy ? 0 : GRANT_NANOS;
  }

  /**
   * Returns the exception for a wait that ends now, because the replicas have not confirmed the
   * grant, or because the server fails or is silent; null if the attempt ends without a failure.
   */
  @Nullable PunctualException failureAtTheEnd() {
    if (awaitsReplicas) {
      return notConfirmed(TOO_SHORT);
    }
    Throwable silence = failures.failureOrSilence(client.nanoTime());
    return silence == null ? null : attempt.explain(silence);
  }

  private NotConfirmedException notConfirmed(String why) {
    return new NotConfirmedException(
        "Lock '" + attempt.keys().name() + "' was not acquired, as " + why, null);
  }
}
