package io.punctual.lock.internal.hold;

import io.punctual.internal.log.Logs;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockConfirmation;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Releases a handle on its server. It repeats the request until the server has replied, the
 * handle's lease must have ended, or the client is closed. A refusal may pass as well, for example
 * a missing right. Thread-safe.
 */
public final class ReleaseRequest {
  private static final Logger log = Logs.of(ReleaseRequest.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MARGIN_MILLIS = 2_000;

  /**
   * If a request of a released handle may still arrive, the server refuses the handle for this time
   * plus the time that the client waits for a reply. By then, the request should have arrived.
   */
  private static final long REFUSE_MILLIS = 60_000;

  private final LockClient client;
  private final LockRequests.Waiters waiters;
  private final ServerHandle handle;
  private final int passed;
  private final long token;
  private final long endNanos;
  private final CompletableFuture<ReleaseOutcome> outcome = new CompletableFuture<>();
  private String keeper;
  private final long keepUntilNanos;
  private boolean refuse;
  private boolean repeated;
  private boolean hasWarned;
  private long pauseNanos = RETRY_NANOS;

  private ReleaseRequest(
      LockClient client,
      LockRequests.Waiters waiters,
      ServerHandle handle,
      int passed,
      boolean refuse,
      long keepMillis,
      long token) {
    this.client = client;
    this.waiters = waiters;
    this.handle = handle;
    this.passed = passed;
    this.refuse = refuse;
    this.token = token;
    this.endNanos =
        client.nanoTime()
            + TimeUnit.MILLISECONDS.toNanos(handle.options().leaseMillis() + MARGIN_MILLIS);
    this.keepUntilNanos = client.nanoTime() + TimeUnit.MILLISECONDS.toNanos(keepMillis);
    this.keeper = keepMillis == 0 ? "" : newKeeper(keepMillis);
  }

  private String newKeeper(long keepMillis) {
    return client.ids().next(HandleIds.mode(handle.id()), keepMillis);
  }

  /**
   * Releases a handle that holds the lock or waits for it.
   *
   * @param waiters the waiters of this client, which the release may grant the lock to
   * @param passed how many times the lock was passed on within the client since the handle acquired
   *     it
   * @param refuse whether the server must refuse the handle later, because a request of it may
   *     still arrive
   * @return the outcome; the future does not fail
   */
  public static CompletableFuture<ReleaseOutcome> send(
      LockClient client,
      LockRequests.Waiters waiters,
      ServerHandle handle,
      int passed,
      boolean refuse) {
    return send(client, waiters, handle, passed, refuse, 0, 0);
  }

  /**
   * Releases a handle as {@link #send(LockClient, LockRequests.Waiters, ServerHandle, int,
   * boolean)} does.
   *
   * @param keepMillis for how long the lock stays taken after the release; 0 frees it at once
   * @param token the handle's fencing token, if the lock stays taken
   */
  static CompletableFuture<ReleaseOutcome> send(
      LockClient client,
      LockRequests.Waiters waiters,
      ServerHandle handle,
      int passed,
      boolean refuse,
      long keepMillis,
      long token) {
    ReleaseRequest request =
        new ReleaseRequest(client, waiters, handle, passed, refuse, keepMillis, token);
    request.send();
    return request.outcome;
  }

  private void send() {
    long refuseMillis =
        refuse ? REFUSE_MILLIS + TimeUnit.NANOSECONDS.toMillis(client.answerTimeoutNanos()) : 0;
    long sentAt = client.nanoTime();
    long keepMillis = keeper.isEmpty() ? 0 : TimeUnit.NANOSECONDS.toMillis(keepUntilNanos - sentAt);
    LockScripts scripts = LockScripts.of(handle.keys().kind());
    List<byte[]> argv =
        List.of(
            client.publishing(handle.keys()),
            LockRequests.bytes(handle.id()),
            LockRequests.bytes(refuseMillis),
            LockRequests.bytes(passed));
    CompletableFuture<RedisReply> asked =
        keepMillis > 0
            ? run(scripts.keep(), with(argv, keepMillis)).thenCompose(this::confirmKept)
            : run(scripts.release(), argv);
    asked.whenComplete(
        (answer, failure) -> {
          if (failure == null) {
            answered(answer, sentAt);
          } else {
            failed(failure);
          }
        });
  }

  private CompletableFuture<RedisReply> run(Script script, List<byte[]> argv) {
    return client.run(script, handle.scriptKeys(), argv);
  }

  private List<byte[]> with(List<byte[]> argv, long keepMillis) {
    List<byte[]> all = new ArrayList<>(argv);
    all.add(LockRequests.bytes(keeper));
    all.add(LockRequests.bytes(keepMillis));
    all.add(LockRequests.bytes(repeated));
    return all;
  }

  /**
   * If the options require it, waits until the replicas or the disk confirm the change, so that the
   * lock is kept after a fail-over as well.
   */
  private CompletableFuture<RedisReply> confirmKept(RedisReply answer) {
    if (!handle.options().isDurable() || !isKept(answer)) {
      return CompletableFuture.completedFuture(answer);
    }
    // The keeper's lease is never renewed, so a server that has the keeper has all of its lease.
    ServerHandle kept = new ServerHandle(handle.keys(), handle.options(), keeper).lasting(1);
    return LockConfirmation.confirm(client, kept, token)
        .thenApply(
            why -> {
              if (why != null && client.nanoTime() - keepUntilNanos < 0) {
                log.warn(
                    "Lock '{}' is kept after its release, but after a fail-over perhaps for a"
                        + " shorter time, as {}",
                    handle.keys().name(),
                    why);
                outcome.complete(ReleaseOutcome.UNCONFIRMED);
              }
              return answer;
            });
  }

  private static boolean isKept(RedisReply answer) {
    return !LockRequests.isIdTaken(answer) && new LockReplyReader(answer).number() == 1;
  }

  private void answered(RedisReply answer, long sentAt) {
    if (LockRequests.isIdTaken(answer)) {
      client.ids().renew(keeper);
      keeper = newKeeper(TimeUnit.NANOSECONDS.toMillis(keepUntilNanos - sentAt));
      send();
      return;
    }
    LockReplyReader reply = new LockReplyReader(answer);
    boolean held = reply.number() == 1;
    waiters.passedOn(handle.keys(), LockRequests.passed(reply), sentAt);
    outcome.complete(
        held
            ? ReleaseOutcome.RELEASED
            : repeated ? ReleaseOutcome.UNCONFIRMED : ReleaseOutcome.LOST);
  }

  private void failed(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    if (!(cause instanceof RedisCallException.NotSent) && Failures.isReply(cause)) {
      // The error may last, so the caller does not wait for its end.
      outcome.complete(ReleaseOutcome.UNCONFIRMED);
      pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
      warnOnce(cause);
    }
    repeated |= cause instanceof RedisCallException.Unanswered;
    // A request that was sent over the failed connection may arrive after the next request.
    refuse |= RedisCallException.isTransient(cause);
    boolean isOver = client.isClosed() || client.nanoTime() - endNanos > 0;
    if (isOver || client.after(pauseNanos, this::send) == null) {
      outcome.complete(ReleaseOutcome.UNCONFIRMED);
    }
  }

  private void warnOnce(Throwable refusal) {
    if (!hasWarned) {
      hasWarned = true;
      log.warn(
          "Lock '{}' cannot be released now; the release is repeated until the end of its lease:"
              + " {}",
          handle.keys().name(),
          refusal.getMessage());
    }
  }
}
