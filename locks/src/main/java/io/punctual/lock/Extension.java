package io.punctual.lock;

import io.punctual.NotConfirmedException;
import io.punctual.redis.client.connection.RedisReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Extends the lease of a lock on the server. */
final class Extension {
  private Extension() {}

  /**
   * Extends a lease. Completes with true if the lock is held, else with false; fails as {@link
   * LockHandle#extend} does.
   */
  static CompletableFuture<Boolean> ask(ServerHold hold, long leaseMillis) {
    LockClient client = hold.client();
    // The longer lease is recorded before the request is sent, because the server may extend the
    // lease although its reply is lost.
    hold.lease().extend(leaseMillis);
    long until = LockLease.until(client.nanoTime(), leaseMillis);
    return client
        .run(
            LockScripts.of(hold.keys().kind()).extend(),
            hold.keys().withCounter(hold.handle()),
            List.of(LockServer.bytes(hold.handle()), LockServer.bytes(Long.toString(leaseMillis))),
            hold.options().isDurable())
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                throw LockFailures.explain(
                    client, "The lease of lock '" + hold.name() + "' was not extended", failure);
              }
              return answer;
            })
        .thenCompose(answer -> answered(hold, until, answer));
  }

  private static CompletableFuture<Boolean> answered(
      ServerHold hold, long until, RedisReply answer) {
    if (new LockReplyReader(answer).number() != hold.firstToken()) {
      hold.lose("it expired, or was taken away");
      return CompletableFuture.completedFuture(false);
    }
    if (!hold.options().isDurable()) {
      hold.renewed(until);
      return CompletableFuture.completedFuture(hold.isHeld());
    }
    return ReplicaConfirmation.confirm(hold.client(), hold.keys(), hold.options(), answer)
        .thenApply(
            why -> {
              if (why != null) {
                throw new NotConfirmedException(
                    "The lease of lock '" + hold.name() + "' was not extended, as " + why, null);
              }
              hold.renewed(until);
              return hold.isHeld();
            });
  }

  /** Waits for the result of an extension. An interrupt does not end the wait. */
  static boolean await(CompletableFuture<Boolean> asked) {
    try {
      return asked.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
