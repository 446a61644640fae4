package io.punctual.http.claim;

import io.punctual.Delivery;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** Claims that wait, until all of them end early. Thread-safe. */
final class WaitingClaims {
  private final Set<CompletableFuture<List<Delivery<byte[]>>>> claims =
      ConcurrentHashMap.newKeySet();

  /**
   * Adds a claim until it ends.
   *
   * @param isOver returns whether {@link #endAll} may have run already; the claim ends then
   */
  @SuppressWarnings("CollectionUndefinedEquality") // A future is equal to itself only.
  void add(CompletableFuture<List<Delivery<byte[]>>> claim, BooleanSupplier isOver) {
    claims.add(claim);
    CompletableFuture<?> unused = claim.whenComplete((done, failure) -> claims.remove(claim));
    if (isOver.getAsBoolean()) {
      end(claim);
    }
  }

  /** Ends all with an empty answer; their messages go back. */
  void endAll() {
    claims.forEach(WaitingClaims::end);
  }

  /** Ends a claim with an empty answer; its messages go back. */
  static void end(CompletableFuture<List<Delivery<byte[]>>> claim) {
    claim.complete(List.of());
  }
}
