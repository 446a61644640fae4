package io.punctual.lock.internal.quorum;

import io.punctual.PunctualException;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Releases a handle of a quorum lock on one server. It repeats the request until the server has
 * replied, the lease on the server must have ended, or the client is closed. A refusal may pass as
 * well. Thread-safe.
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
    this.argv = List.of(LockRequests.bytes(handle));
    this.endNanos = server.nanoTime() + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }

  /**
   * Releases a handle. Completes with 1 if the handle held the lock, with 0 if not, and fails if
   * that is unknown.
   *
   * @param leaseMillis the longest lease that the server may have granted to the handle
   */
  static CompletableFuture<Long> send(
      LockClient server, byte[] key, String handle, long leaseMillis) {
    QuorumReleaseRequest request = new QuorumReleaseRequest(server, key, handle, leaseMillis);
    request.send();
    return request.answer;
  }

  private void send() {
    // By its text, because a close leaves no time to repeat a script that the server had forgotten.
    server
        .runInOrder(LockScripts.DELETE, keys, argv)
        .whenComplete(
            (answered, failure) -> {
              if (failure == null) {
                answered(new LockReplyReader(answered).number());
              } else {
                failed(Failures.unwrap(failure));
              }
            });
  }

  private void answered(long removed) {
    if (removed == 0 && repeated) {
      answer.completeExceptionally(
          new PunctualException(
              "The lock was released by an earlier request without a reply, or was lost"));
    } else {
      answer.complete(removed);
    }
  }

  private void failed(Throwable cause) {
    boolean isOver = server.isClosed() || server.nanoTime() + pauseNanos - endNanos > 0;
    if (isOver) {
      answer.completeExceptionally(cause);
      return;
    }
    repeated |= cause instanceof RedisCallException.Unanswered;
    if (server.after(pauseNanos, this::send) == null) {
      answer.completeExceptionally(cause);
    }
    pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE);
  }
}
