package io.punctual.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.client.RepeatedCall;
import io.punctual.lock.internal.kind.LatchState;
import io.punctual.lock.internal.kind.LatchWait;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.redis.client.connection.RedisReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * A count-down latch that processes share. The count of a latch that was never set is zero, so a
 * wait for such a latch ends at once. A latch can be set again once its count is zero; a wait for
 * the former count still ends. A wait is for the count that its first request finds on the server.
 * If this request is slow, or lost and repeated, that can be a count that was set after the call.
 *
 * <p>The count has no lease: it stays on the server until {@link #countDown} or {@link #open} makes
 * it zero. A request without a reply is sent again, and still changes the count only once. Methods
 * that send requests throw a {@link io.punctual.StoreUnavailableException} if the server does not
 * reply. Immutable and safe for use by many threads.
 */
public final class DistributedLatch {
  private static final long MOST = 1_000_000_000;

  private final LockClient client;
  private final String name;
  private final String tag;
  private final byte[] channel;

  DistributedLatch(LockClient client, String name) {
    LockKeys keys = client.keys(LockKind.MUTEX, name);
    this.client = client;
    this.name = name;
    this.tag = LockKeys.tag(client.namespace(), keys.bucket());
    this.channel = (new String(client.publishing(keys), UTF_8) + "latch:" + name).getBytes(UTF_8);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /**
   * Sets the count if it is zero.
   *
   * @param count 1 to 1,000,000,000
   * @return true if the count was set; false if it was not zero
   */
  public boolean trySet(long count) {
    if (count < 1 || count > MOST) {
      throw new IllegalArgumentException(
          "The count of a latch is 1 to " + MOST + ", but was " + count);
    }
    return change("set", count).number() == 1;
  }

  /** Decrements the count unless it is zero; returns the new count. */
  public long countDown() {
    LockReplyReader reply = change("down", 0);
    reply.number();
    return reply.number();
  }

  /** Sets the count to zero, and so ends all waits; returns true if the count was above zero. */
  public boolean open() {
    return change("zero", 0).number() == 1;
  }

  private LockReplyReader change(String how, long count) {
    RedisReply answer =
        RepeatedCall.ask(
            client,
            LockScripts.LATCH,
            "l",
            id -> arguments(how, count, id),
            "Latch '" + name + "' was perhaps not changed");
    return new LockReplyReader(answer);
  }

  private RepeatedCall.Arguments arguments(String how, long count, String id) {
    return new RepeatedCall.Arguments(
        List.of(key().getBytes(UTF_8), (tag + "gone:" + id).getBytes(UTF_8)),
        List.of(
            channel,
            LockRequests.bytes(how),
            LockRequests.bytes(count),
            LockRequests.bytes(RepeatedCall.rememberedMillis(client)),
            LockRequests.bytes(id)));
  }

  /** Returns the count. */
  public long count() {
    try {
      return LatchState.ask(client, key()).join().count();
    } catch (CompletionException e) {
      throw LatchWait.explain(client, name, e);
    }
  }

  private String key() {
    return tag + "latch:" + name;
  }

  /**
   * Waits until the count is zero. Throws a {@link io.punctual.StoreUnavailableException} if the
   * server does not reply for a minute.
   */
  public void await() throws InterruptedException {
    await(start(LockOptions.FOREVER));
  }

  /**
   * Waits until the count is zero, at most for this time.
   *
   * @param wait 0 to 365 days
   * @return true if the count is zero; false at the end of the time
   * @throws io.punctual.StoreUnavailableException if the server does not reply at the end of the
   *     wait
   */
  public boolean await(Duration wait) throws InterruptedException {
    return await(start(LockOptions.waitNanos(wait)));
  }

  /**
   * Like {@link #await(Duration)}, without blocking the thread. Completes on the executor of the
   * {@link RedisLocks}. Cancelling the future ends the wait.
   */
  public CompletionStage<Boolean> awaitAsync(Duration wait) {
    LatchWait asked = start(LockOptions.waitNanos(wait));
    CompletableFuture<Boolean> future =
        asked.result().thenApplyAsync(isZero -> isZero, client.executor());
    future.whenComplete((isZero, failure) -> asked.cancel());
    return future;
  }

  private LatchWait start(long waitNanos) {
    String told = new String(channel, UTF_8);
    return LatchWait.start(client, name, key(), told.substring(told.indexOf(' ') + 1), waitNanos);
  }

  private static boolean await(LatchWait wait) throws InterruptedException {
    try {
      return wait.result().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      wait.cancel();
    }
  }

  @Override
  public String toString() {
    return "latch '" + name + "'";
  }
}
