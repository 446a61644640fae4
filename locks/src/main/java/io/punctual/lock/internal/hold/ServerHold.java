package io.punctual.lock.internal.hold;

import io.punctual.NotConfirmedException;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockConfirmation;
import io.punctual.lock.internal.client.LockFailures;
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
  private final Grant grant;
  private final int heldBefore;

  public ServerHold(Watchdog watchdog, Grant grant, LockLease lease) {
    this(watchdog, grant, 0, lease);
  }

  private ServerHold(Watchdog watchdog, Grant grant, int heldBefore, LockLease lease) {
    super(
        watchdog,
        grant.handle().keys().kind(),
        grant.handle().keys().name(),
        grant.handle().options(),
        grant.token() + heldBefore,
        lease);
    this.grant = grant;
    this.heldBefore = heldBefore;
  }

  /** Returns the hold of the next holder in the same grant, under the same lease. */
  public ServerHold next() {
    return new ServerHold(watchdog(), grant, heldBefore + 1, lease());
  }

  boolean isNewGrant() {
    return heldBefore == 0;
  }

  /** Returns the handle on the server, which all holders of the grant share. */
  public ServerHandle handle() {
    return grant.handle();
  }

  @Override
  public String id() {
    return handle().id();
  }

  /** Returns the token that the server stores, which is the token of the grant's first holder. */
  long firstToken() {
    return grant.token();
  }

  /** Returns whether the lock may pass to the next holder in this client. */
  public boolean mayPassOn() {
    return !client().isClosed()
        && !lease().isExtended()
        && grant.mayPassOn(heldBefore, remainingNanos(), client().nanoTime());
  }

  @Override
  protected void renew() {
    watchdog().gather(this);
  }

  @Override
  CompletableFuture<ReleaseOutcome> handBack() {
    return passOn() ? CompletableFuture.completedFuture(ReleaseOutcome.RELEASED) : sendRelease();
  }

  /** Passes the lock on in this client; returns false if it must be released on the server. */
  private boolean passOn() {
    Grant.Successors successors = grant.successors();
    try {
      return successors != null && successors.passOn(this);
    } catch (Throwable e) { // for example because memory is short
      return false;
    }
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
        .requests()
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
    return LockConfirmation.confirm(client(), handle().lasting(millis), firstToken())
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
    try {
      return ReleaseRequest.send(
          client(),
          grant.waiters(),
          handle().lasting(lease().longestMillis(options())),
          heldBefore,
          grant.refuse().getAsBoolean(),
          keepMillis,
          firstToken());
    } finally {
      Grant.Successors successors = grant.successors();
      if (successors != null) {
        successors.released();
      }
    }
  }
}
