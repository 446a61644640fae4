package io.punctual.lock;

import io.punctual.NotConfirmedException;
import io.punctual.redis.client.Answer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes a grant certain before the lock is handed over: asks for the whole lease where the grant
 * has a part of it, and for the replicas where the terms want them. Thread-safe.
 */
final class GrantCheck {
  private static final String TOO_LATE = "its lease ended before the replicas had confirmed it";
  private static final String TOO_SHORT = "the wait was over before the replicas had confirmed it";

  private final LockClient client;
  private final LockKeys place;
  private final LockOptions terms;
  private final String handle;
  private volatile boolean isBusy;
  private volatile boolean awaitsReplicas;

  GrantCheck(LockClient client, LockKeys place, LockOptions terms, String handle) {
    this.client = client;
    this.place = place;
    this.terms = terms;
    this.handle = handle;
  }

  /**
   * A grant that is certain.
   *
   * @param token the fencing token, or 0
   * @param untilNanos until when the client may rely on the lease
   */
  record Certain(long token, long untilNanos) {}

  /**
   * Renews the lease.
   *
   * @return the certain grant, or null if the handle does not hold the lock or the server does not
   *     say so; fails with a {@link NotConfirmedException} if the replicas do not confirm it
   */
  CompletableFuture<@Nullable Certain> renew() {
    isBusy = true;
    long sentAt = client.nanoTime();
    return client
        .watchdog()
        .renew(place, handle, terms)
        .handle((answer, failure) -> failure == null ? answer : null)
        .thenCompose(answer -> renewed(answer, Lease.until(sentAt, terms.leaseMillis())));
  }

  private CompletableFuture<@Nullable Certain> renewed(@Nullable Answer answer, long until) {
    long token = answer == null ? Watchdog.NOT_HELD : new Reading(answer).number();
    return answer == null || token == Watchdog.NOT_HELD
        ? CompletableFuture.completedFuture(null)
        : confirm(new Certain(token, until), answer);
  }

  /** Waits for the replicas, if the terms want them; fails as {@link #renew} does. */
  CompletableFuture<@Nullable Certain> confirm(Certain grant, Answer answer) {
    if (!terms.isDurable()) {
      return CompletableFuture.completedFuture(grant);
    }
    isBusy = true;
    awaitsReplicas = true;
    return ReplicaConfirmation.confirm(client, place, terms, answer)
        .thenApply(why -> why == null && isOver(grant) ? TOO_LATE : why)
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

  /** Whether the server was asked. */
  boolean isBusy() {
    return isBusy;
  }

  /**
   * Returns why the end of the wait finds the lock not acquired, if the replicas are the reason.
   */
  @Nullable NotConfirmedException unconfirmed() {
    return awaitsReplicas ? notConfirmed(TOO_SHORT) : null;
  }

  private NotConfirmedException notConfirmed(String why) {
    return new NotConfirmedException(
        "Lock '" + place.name() + "' was not acquired, as " + why, null);
  }
}
