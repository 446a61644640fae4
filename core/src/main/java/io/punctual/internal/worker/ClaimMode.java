package io.punctual.internal.worker;

import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Decides about the messages of a manual claim: deliveries, or messages at most once. Thread-safe.
 *
 * @param <R> the caller's view of a message
 */
interface ClaimMode<R> {
  /** Returns the claim to send to a partition. */
  Call.Claim claim();

  /**
   * Returns whether messages without a receiver must be put back before the client closes, because
   * the end of their leases does not return them.
   */
  boolean isAtMostOnce();

  /** Takes in a reply for a caller that waits. */
  Received<R> receive(Reply.Claimed claimed, ClaimLease lease);

  /**
   * Returns the messages of a reply that has no receiver. Completes when the store has them, or
   * when the client has given up.
   */
  CompletableFuture<?> giveBack(Reply.Claimed claimed, ClaimLease lease);

  /** A claim may have been executed, and its answer is lost. */
  void unanswered();

  /**
   * The messages of a reply for the caller.
   *
   * @param messages the messages; may be empty
   * @param handedOver runs if the caller received them
   * @param refused runs if the caller stopped waiting; completes when the messages are back
   * @param hasOthers whether the reply also has messages that the caller can't receive, and that
   *     the next claim must not see
   * @param others completes when those messages are settled
   */
  record Received<R>(
      List<R> messages,
      Runnable handedOver,
      Supplier<CompletableFuture<?>> refused,
      boolean hasOthers,
      CompletableFuture<?> others) {
    /** Returns the messages of a reply without others. */
    static <R> Received<R> of(
        List<R> messages, Runnable handedOver, Supplier<CompletableFuture<?>> refused) {
      return new Received<>(
          messages, handedOver, refused, false, CompletableFuture.completedFuture(null));
    }
  }
}
