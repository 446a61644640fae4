package io.punctual.lock.internal.client;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Script;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A call of a script that is repeated until the server replies; the last repetition starts within
 * {@link LockClient#answerTimeoutNanos}. The script remembers the call and gives a repeated call
 * the same result, so that the change happens once. Thread-safe.
 */
public final class RepeatedCall {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MARGIN_MILLIS = 60_000;

  private final LockClient client;
  private final Script script;
  private final List<byte[]> keys;
  private final List<byte[]> argv;
  private final long endNanos;
  private final CompletableFuture<RedisReply> answer = new CompletableFuture<>();

  private RepeatedCall(
      LockClient client, Script script, List<byte[]> keys, List<byte[]> argv, long mostNanos) {
    this.client = client;
    this.script = script;
    this.keys = keys;
    this.argv = argv;
    this.endNanos = client.nanoTime() + mostNanos;
  }

  /**
   * Returns how long a script must remember a call, in milliseconds: longer than a repeated call
   * may take to arrive.
   */
  public static long rememberedMillis(LockClient client) {
    return MARGIN_MILLIS + 3 * TimeUnit.NANOSECONDS.toMillis(client.answerTimeoutNanos());
  }

  /**
   * Sends the call, and waits for the reply.
   *
   * @param failed the beginning of the exception's message, which names the failed operation
   */
  public static RedisReply ask(
      LockClient client, Script script, List<byte[]> keys, List<byte[]> argv, String failed) {
    return ask(new RepeatedCall(client, script, keys, argv, client.answerTimeoutNanos()), failed);
  }

  /** Like {@link #ask}, but sends the call only once, because its script does not remember it. */
  public static RedisReply askOnce(
      LockClient client, Script script, List<byte[]> keys, List<byte[]> argv, String failed) {
    return ask(new RepeatedCall(client, script, keys, argv, 0), failed);
  }

  private static RedisReply ask(RepeatedCall call, String failed) {
    call.send();
    return LockFailures.join(call.client, call.answer, failed);
  }

  private void send() {
    client
        .run(script, keys, argv, false)
        .whenComplete(
            (got, failure) -> {
              if (failure == null) {
                answer.complete(got);
              } else {
                failed(Failures.unwrap(failure));
              }
            });
  }

  private void failed(Throwable cause) {
    boolean passing = RedisCallException.isTransient(cause);
    boolean isOver = client.isClosed() || client.nanoTime() + RETRY_NANOS - endNanos > 0;
    if (!passing || isOver || client.after(RETRY_NANOS, this::send) == null) {
      answer.completeExceptionally(cause);
    }
  }
}
