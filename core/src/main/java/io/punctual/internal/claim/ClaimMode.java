package io.punctual.internal.claim;

import io.punctual.internal.delivery.ClaimLease;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Determines how a manual claim delivers its messages: as deliveries that the caller settles, or at
 * most once. Thread-safe.
 *
 * @param <R> the caller's view of a message
 */
public interface ClaimMode<R> {
  /** Returns the claim to send to a partition. */
  Call.Claim claim();

  /**
   * Returns whether messages that no caller received must be put back before the client closes,
   * because they would not become due again at the end of their leases.
   */
  boolean isAtMostOnce();

  /**
   * Passes a reply on, without the messages that this process must not receive now. May pass it on
   * later, on a different thread. Throws nothing.
   */
  default void sift(Reply.Claimed claimed, ClaimLease lease, Consumer<Reply.Claimed> rest) {
    rest.accept(claimed);
  }

  /**
   * Processes a reply for a caller that waits. If that fails in the middle, the messages that were
   * not settled go back to the queue, and the result has the failure.
   */
  Received<R> receive(Reply.Claimed claimed, ClaimLease lease);

  /**
   * Returns the messages of a reply to the queue, because no caller waits for them. If {@link
   * #isAtMostOnce}, completes when the store has the messages or the client has given up; otherwise
   * completes at once.
   */
  CompletableFuture<?> giveBack(Reply.Claimed claimed, ClaimLease lease);

  /** Notes that the store may have executed a claim whose answer is lost. */
  void unanswered();

  /**
   * A processed reply.
   *
   * @param messages the messages for the caller; may be empty
   * @param handedOver runs if the caller received the messages
   * @param refused runs if the caller stopped waiting, and returns the messages to the queue like
   *     {@link ClaimMode#giveBack}
   * @param hasOthers whether the next claim must wait until other messages of the reply are
   *     settled, which the caller must not receive
   * @param others completes when the next claim need not wait any longer for the other messages
   * @param failure why the caller receives no messages; null if the reply was processed
   */
  record Received<R>(
      List<R> messages,
      Runnable handedOver,
      Supplier<CompletableFuture<?>> refused,
      boolean hasOthers,
      CompletableFuture<?> others,
      @Nullable Throwable failure) {
    /** Returns a processed reply without messages that the next claim must wait for. */
    static <R> Received<R> of(
        List<R> messages, Runnable handedOver, Supplier<CompletableFuture<?>> refused) {
      return new Received<>(
          messages, handedOver, refused, false, CompletableFuture.completedFuture(null), null);
    }

    /**
     * Returns a reply that could not be processed.
     *
     * @param back completes like {@link ClaimMode#giveBack}
     */
    static <R> Received<R> failed(Throwable failure, CompletableFuture<?> back) {
      return new Received<>(List.of(), () -> {}, () -> back, false, back, failure);
    }
  }
}
