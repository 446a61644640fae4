package io.punctual.lock;

import io.punctual.PunctualException;
import io.punctual.redis.client.Failures;
import io.punctual.redis.client.RedisCallException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Gives a handle of a quorum lock up on one server, trying again until that has answered or what
 * the handle has there must have run out. Thread-safe.
 */
final class QuorumReleaseRequest {
  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(2);

  private final LockClient server;
  private final List<byte[]> keys;
  private final List<byte[]> argv;
  private final long endNanos;
  private final CompletableFuture<Long> answer = new CompletableFuture<>();
  private long pauseNanos = SHORTEST_PAUSE;
  private boolean repeated;

  private QuorumReleaseRequest(LockClient server, byte[] key, String handle, long leaseMillis) {
    this.server = server;
    this.keys = List.of(key);
    this.argv = List.of(LockServer.bytes(handle));
    this.endNanos = server.nanoTime() + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }

  /**
   * Gives a handle up whose lease is this long at most; completes with 1 if it was there, with 0 if
   * it was not, and fails if the outcome is unknown.
   */
  static CompletableFuture<Long> say(
      LockClient server, byte[] key, String handle, long leaseMillis) {
    QuorumReleaseRequest farewell = new QuorumReleaseRequest(server, key, handle, leaseMillis);
    farewell.send();
    return farewell.answer;
  }

  private void send() {
    server
        .run(LockScripts.DELETE, keys, argv, false)
        .whenComplete(
            (answered, failure) -> {
              if (failure == null) {
                answered(new Reading(answered).number());
              } else {
                failed(Failures.unwrap(failure));
              }
            });
  }

  private void answered(long removed) {
    if (removed == 0 && repeated) {
      answer.completeExceptionally(
          new PunctualException("It was given back before, when nobody heard the answer, or lost"));
    } else {
      answer.complete(removed);
    }
  }

  private void failed(Throwable cause) {
    boolean isOver = server.isClosed() || server.nanoTime() + pauseNanos - endNanos > 0;
    if (isOver || !RedisCallException.isTransient(cause)) {
      answer.completeExceptionally(cause);
      return;
    }
    repeated |= !(cause instanceof RedisCallException.NotSent);
    if (server.after(pauseNanos, this::send) == null) {
      answer.completeExceptionally(cause);
    }
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE);
  }
}
