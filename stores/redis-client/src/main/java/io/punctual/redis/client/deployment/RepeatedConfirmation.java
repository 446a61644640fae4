package io.punctual.redis.client.deployment;

import io.punctual.Durability;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether the changes of a witness are durable, and repeats the question until a server
 * replies or the durability time-out has passed. While a slot of a Cluster moves, no node serves it
 * for some milliseconds; then a different node serves it. So each attempt looks up the node of the
 * key. A repeated question is safe, because each reply proves on its own that the replying server
 * has the changes.
 */
final class RepeatedConfirmation {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Deployment deployment;
  private final Durability durability;
  private final Witness witness;
  private final long endNanos;
  private final CompletableFuture<List<@Nullable String>> answer = new CompletableFuture<>();

  RepeatedConfirmation(Deployment deployment, Durability durability, Witness witness) {
    this.deployment = deployment;
    this.durability = durability;
    this.witness = witness;
    this.endNanos =
        System.nanoTime() + deployment.settings().durabilityTimeout(durability).toNanos();
  }

  /**
   * Asks a server, and returns the answer of {@link Deployment#confirm}. Must be called only once.
   */
  CompletableFuture<List<@Nullable String>> begin() {
    ask();
    return answer;
  }

  private void ask() {
    deployment
        .confirmer(witness.keys().get(0), durability)
        .confirm(witness)
        .whenComplete(
            (reasons, failure) -> {
              if (failure == null) {
                answer.complete(reasons);
              } else {
                askAgain(Failures.unwrap(failure));
              }
            });
  }

  private void askAgain(Throwable failure) {
    boolean isInTime = System.nanoTime() - endNanos + PAUSE_NANOS < 0;
    if (!RedisCallException.isTransient(failure) || !isInTime) {
      giveUp(failure);
      return;
    }
    try {
      deployment.timer().schedule(PAUSE_NANOS, this::ask);
    } catch (Throwable e) { // the timer is closed, or memory is short
      giveUp(failure);
    }
  }

  private void giveUp(Throwable failure) {
    String why = Failures.unconfirmed(failure);
    answer.complete(Collections.nCopies(witness.proof().size(), why));
  }
}
