package io.punctual.lock.internal.client;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A call of a script that is repeated until the server replies; the last repetition starts within
 * {@link LockClient#answerTimeoutNanos}. The script remembers the call by its id and gives a
 * repeated call the same result, so that the change happens once. If the server knows the id of a
 * call that is not repeated, a different client has the same ids, and the call gets a new id.
 * Thread-safe.
 */
public final class RepeatedCall {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MARGIN_MILLIS = 60_000;

  private final LockClient client;
  private final Script script;
  private final String mode;
  private final Function<String, Arguments> arguments;
  private final long endNanos;
  private final CompletableFuture<RedisReply> answer = new CompletableFuture<>();
  private String id;
  private boolean repeated;

  public record Arguments(List<byte[]> keys, List<byte[]> argv) {}

  private RepeatedCall(
      LockClient client,
      Script script,
      String mode,
      Function<String, Arguments> arguments,
      long mostNanos) {
    this.client = client;
    this.script = script;
    this.mode = mode;
    this.arguments = arguments;
    this.endNanos = client.nanoTime() + mostNanos;
    this.id = client.ids().next(mode, 0);
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
   * @param mode the mode in the id of the call
   * @param arguments returns the keys and arguments of the call with this id; the script receives
   *     whether the call is repeated (0, 1) as a further argument
   * @param failed the beginning of the exception's message, which names the failed operation
   */
  public static RedisReply ask(
      LockClient client,
      Script script,
      String mode,
      Function<String, Arguments> arguments,
      String failed) {
    return ask(
        new RepeatedCall(client, script, mode, arguments, client.answerTimeoutNanos()), failed);
  }

  /** Like {@link #ask}, but sends the call only once, because its script does not remember it. */
  public static RedisReply askOnce(
      LockClient client, Script script, List<byte[]> keys, List<byte[]> argv, String failed) {
    Arguments same = new Arguments(keys, argv);
    return ask(new RepeatedCall(client, script, "", any -> same, 0), failed);
  }

  private static RedisReply ask(RepeatedCall call, String failed) {
    call.send();
    return LockFailures.join(call.client, call.answer, failed);
  }

  private void send() {
    try {
      sendNow();
    } catch (Throwable e) { // for example because memory is short; the caller waits for an end
      answer.completeExceptionally(e);
    }
  }

  private void sendNow() {
    Arguments with = arguments.apply(id);
    List<byte[]> argv = new ArrayList<>(with.argv());
    if (!mode.isEmpty()) {
      argv.add(LockRequests.bytes(repeated));
    }
    client
        .run(script, with.keys(), argv)
        .whenComplete(
            (got, failure) -> {
              if (failure == null) {
                answered(got);
              } else {
                failed(Failures.unwrap(failure));
              }
            });
  }

  private void answered(RedisReply got) {
    if (LockRequests.isIdTaken(got)) {
      client.ids().renew(id);
      id = client.ids().next(mode, 0);
      repeated = false;
      send();
    } else {
      answer.complete(got);
    }
  }

  private void failed(Throwable cause) {
    repeated |= !(cause instanceof RedisCallException.NotSent);
    boolean passing = RedisCallException.isTransient(cause);
    boolean isOver = client.isClosed() || client.nanoTime() + RETRY_NANOS - endNanos > 0;
    if (!passing || isOver || client.after(RETRY_NANOS, this::send) == null) {
      answer.completeExceptionally(cause);
    }
  }
}
