package io.punctual.redis.client.deployment;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Request;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks nodes for the map of the slots, one after the other, until a node replies with a map that is
 * accepted. For a single use.
 */
final class SlotMapRequest {
  private final Queue<NodeAddress> candidates;
  private final Function<NodeAddress, ReconnectingConnection> link;
  private final BiPredicate<SlotMap, NodeAddress> accepted;
  private final DueTimer timer;
  private final Duration patience;
  private final CompletableFuture<SlotMap> answer = new CompletableFuture<>();

  /**
   * Creates a request.
   *
   * @param candidates the nodes to ask
   * @param link returns the connection to a node
   * @param accepted returns whether to use the map of a node
   * @param patience how long a node may take for its reply
   */
  SlotMapRequest(
      Queue<NodeAddress> candidates,
      Function<NodeAddress, ReconnectingConnection> link,
      BiPredicate<SlotMap, NodeAddress> accepted,
      DueTimer timer,
      Duration patience) {
    this.candidates = candidates;
    this.link = link;
    this.accepted = accepted;
    this.timer = timer;
    this.patience = patience;
  }

  /** Asks the nodes; fails with the last node's failure if no node replies with an accepted map. */
  CompletableFuture<SlotMap> begin() {
    askNext(new IllegalStateException("no nodes"));
    return answer;
  }

  private void askNext(Throwable last) {
    NodeAddress next = candidates.poll();
    if (next == null) {
      answer.completeExceptionally(last);
      return;
    }
    try {
      ask(next);
    } catch (Throwable e) { // the timer is closed, or memory is short
      answer.completeExceptionally(e);
    }
  }

  private void ask(NodeAddress next) {
    CompletableFuture<RedisReply> slots = new CompletableFuture<>();
    var late =
        timer.schedule(
            patience,
            () -> slots.completeExceptionally(Failures.notSent(next + " does not answer", null)));
    link.apply(next)
        .send(Request.of(CommandType.CLUSTER, "SLOTS"))
        .whenComplete(
            (reply, failure) -> {
              if (failure == null) {
                slots.complete(reply);
              } else {
                slots.completeExceptionally(failure);
              }
            });
    slots.whenComplete(
        (reply, failure) -> {
          late.cancel();
          answered(next, reply, failure);
        });
  }

  private void answered(NodeAddress node, @Nullable RedisReply reply, @Nullable Throwable failure) {
    if (reply == null) {
      askNext(failure == null ? new IllegalStateException("no reply") : failure);
      return;
    }
    SlotMap found;
    try {
      found = SlotMap.parse(reply.values(), node);
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
      return;
    }
    if (accepted.test(found, node)) {
      answer.complete(found);
    } else {
      askNext(Failures.notSent(node + " belongs to a different Cluster", null));
    }
  }
}
