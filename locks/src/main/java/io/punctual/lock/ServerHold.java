package io.punctual.lock;

import java.util.concurrent.CompletableFuture;

/**
 * A lock that was acquired from a server, or taken over from the previous holder in this client.
 * Thread-safe.
 */
final class ServerHold extends Hold {
  private final Tenure tenure;
  private final int heldBefore;

  /** Creates the hold of the first holder of a tenure. */
  ServerHold(LockClient client, Tenure tenure, LockLease lease) {
    this(client, tenure, 0, lease);
  }

  private ServerHold(LockClient client, Tenure tenure, int heldBefore, LockLease lease) {
    super(
        client,
        tenure.keys().kind(),
        tenure.keys().name(),
        tenure.options(),
        tenure.token() + heldBefore,
        lease);
    this.tenure = tenure;
    this.heldBefore = heldBefore;
  }

  /** Returns the hold of the next holder in the same tenure, under the same lease. */
  ServerHold next() {
    return new ServerHold(client(), tenure, heldBefore + 1, lease());
  }

  LockKeys keys() {
    return tenure.keys();
  }

  String handle() {
    return tenure.handle();
  }

  @Override
  public String id() {
    return handle();
  }

  /** Returns the token that the server stores, which is the token of the tenure's first holder. */
  long firstToken() {
    return tenure.token();
  }

  boolean mayPassOn() {
    return !client().isClosed()
        && !lease().isExtended()
        && tenure.mayPassOn(heldBefore, remainingNanos(), client().nanoTime());
  }

  @Override
  void renew() {
    client().watchdog().gather(this);
  }

  @Override
  CompletableFuture<ReleaseOutcome> handBack() {
    Cohort cohort = tenure.cohort();
    return cohort != null && cohort.passOn(this)
        ? CompletableFuture.completedFuture(ReleaseOutcome.RELEASED)
        : sendRelease();
  }

  @Override
  CompletableFuture<ReleaseOutcome> sendRelease() {
    return leave(0);
  }

  @Override
  CompletableFuture<ReleaseOutcome> keep(long millis) {
    return leave(millis);
  }

  @Override
  CompletableFuture<Boolean> askToExtend(long leaseMillis) {
    return Extension.ask(this, leaseMillis);
  }

  private CompletableFuture<ReleaseOutcome> leave(long keepMillis) {
    LockOptions longest = options().lasting(lease().longestMillis(options()));
    CompletableFuture<ReleaseOutcome> outcome =
        ReleaseRequest.send(
            client(),
            keys(),
            longest,
            handle(),
            heldBefore,
            tenure.refuse().getAsBoolean(),
            keepMillis);
    Cohort cohort = tenure.cohort();
    if (cohort != null) {
      cohort.advance(Cohort.END_OF_LINE);
    }
    return outcome;
  }
}
