package io.punctual.redis.client.deployment;

import io.punctual.Durability;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether a session's call is durable, and repeats the question until a server replies or the
 * durability time-out has passed. While a slot of a Cluster moves, no node serves it for some
 * milliseconds; then a different node serves it. So each attempt looks up the node of the key. A
 * repeated question is safe, because each reply proves on its own that the replying server has the
 * call.
 */
final class ConfirmationCall {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Deployment deployment;
  private final byte[] key;
  private final Durability durability;
  private final String session;
  private final long number;
  private final long endNanos;
  private final CompletableFuture<@Nullable String> answer = new CompletableFuture<>();

  ConfirmationCall(
      Deployment deployment, byte[] key, Durability durability, String session, long number) {
    this.deployment = deployment;
    this.key = key;
    this.durability = durability;
    this.session = session;
    this.number = number;
    this.endNanos =
        System.nanoTime() + deployment.settings().durabilityTimeout(durability).toNanos();
  }

  /**
   * Asks a server, and returns the answer of {@link Deployment#confirm}. Must be called only once.
   */
  CompletableFuture<@Nullable String> begin() {
    ask();
    return answer;
  }

  private void ask() {
    deployment
        .confirmer(key, durability)
        .confirm(session, number)
        .whenComplete(
            (why, failure) -> {
              if (failure == null) {
                answer.complete(why);
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
    } catch (RejectedExecutionException closed) {
      giveUp(failure);
    }
  }

  private void giveUp(Throwable failure) {
    answer.complete(Failures.unconfirmed(failure));
  }
}
