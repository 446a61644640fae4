package io.punctual.lock.internal.hold;

import io.punctual.NotConfirmedException;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.ReplicaConfirmation;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.connection.RedisReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that was acquired from a server, or taken over from the previous holder in this client.
 * Thread-safe.
 */
public final class ServerHold extends Hold {
  private final Tenure tenure;
  private final int heldBefore;

  /** Creates the hold of the first holder of a tenure. */
  public ServerHold(Watchdog watchdog, Tenure tenure, LockLease lease) {
    this(watchdog, tenure, 0, lease);
  }

  private ServerHold(Watchdog watchdog, Tenure tenure, int heldBefore, LockLease lease) {
    super(
        watchdog,
        tenure.handle().keys().kind(),
        tenure.handle().keys().name(),
        tenure.handle().options(),
        tenure.token() + heldBefore,
        lease);
    this.tenure = tenure;
    this.heldBefore = heldBefore;
  }

  /** Returns the hold of the next holder in the same tenure, under the same lease. */
  public ServerHold next() {
    return new ServerHold(watchdog(), tenure, heldBefore + 1, lease());
  }

  /** Returns whether this is the first holder of its tenure. */
  boolean isNewTenure() {
    return heldBefore == 0;
  }

  /** Returns the handle on the server, which all holders of the tenure share. */
  public ServerHandle handle() {
    return tenure.handle();
  }

  @Override
  public String id() {
    return handle().id();
  }

  /** Returns the token that the server stores, which is the token of the tenure's first holder. */
  long firstToken() {
    return tenure.token();
  }

  /** Returns whether the lock may pass to the next holder in this client. */
  public boolean mayPassOn() {
    return !client().isClosed()
        && !lease().isExtended()
        && tenure.mayPassOn(heldBefore, remainingNanos(), client().nanoTime());
  }

  @Override
  protected void renew() {
    watchdog().gather(this);
  }

  @Override
  CompletableFuture<ReleaseOutcome> handBack() {
    Tenure.Successors successors = tenure.successors();
    return successors != null && successors.passOn(this)
        ? CompletableFuture.completedFuture(ReleaseOutcome.RELEASED)
        : sendRelease();
  }

  @Override
  protected CompletableFuture<ReleaseOutcome> sendRelease() {
    return leave(0);
  }

  @Override
  protected CompletableFuture<ReleaseOutcome> keep(long millis) {
    return leave(millis);
  }

  @Override
  protected CompletableFuture<Boolean> askToExtend(long leaseMillis) {
    // The longer lease is recorded before the request is sent, because the server may extend the
    // lease although its reply is lost.
    lease().extend(leaseMillis);
    long until = LockLease.until(client().nanoTime(), leaseMillis);
    return client()
        .server()
        .renew(List.of(handle().lasting(leaseMillis)))
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                throw LockFailures.explain(client(), notExtended(), failure);
              }
              return answer;
            })
        .thenCompose(answer -> extended(until, answer));
  }

  private String notExtended() {
    return "The lease of lock '" + name() + "' was not extended";
  }

  private CompletableFuture<Boolean> extended(long until, RedisReply answer) {
    if (new LockReplyReader(answer).number() != firstToken()) {
      lose("it expired, or was taken away");
      return CompletableFuture.completedFuture(false);
    }
    if (!options().isDurable()) {
      renewed(until);
      return CompletableFuture.completedFuture(isHeld());
    }
    long millis = LockLease.millisUntil(until, client().nanoTime());
    return ReplicaConfirmation.confirm(client(), handle().lasting(millis), firstToken())
        .thenApply(
            why -> {
              if (why != null) {
                throw new NotConfirmedException(notExtended() + ", as " + why, null);
              }
              renewed(until);
              return isHeld();
            });
  }

  private CompletableFuture<ReleaseOutcome> leave(long keepMillis) {
    CompletableFuture<ReleaseOutcome> outcome =
        ReleaseRequest.send(
            client(),
            tenure.waiters(),
            handle().lasting(lease().longestMillis(options())),
            heldBefore,
            tenure.refuse().getAsBoolean(),
            keepMillis,
            firstToken());
    Tenure.Successors successors = tenure.successors();
    if (successors != null) {
      successors.released();
    }
    return outcome;
  }
}
