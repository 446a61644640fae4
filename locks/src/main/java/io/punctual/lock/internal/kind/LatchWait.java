package io.punctual.lock.internal.kind;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.PunctualException;
import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.OpenWaits;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.timer.Timeout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A wait for a latch. It subscribes to the latch's channel, and requests the latch's state every
 * second, so a lost message delays the end of the wait by a second at most.
 *
 * <p>A latch can be set again at once after its end, so a message may be older than the wait, and
 * the count may be above zero again when the wait requests it. Therefore the wait remembers the
 * cycle in the first reply, and ends when this cycle has ended. A cycle lasts from the setting of
 * the latch until its count is zero. The wait cannot know of a cycle that ended before the server
 * received the first request. Thread-safe.
 */
public final class LatchWait implements Subscriber, OpenWaits.Wait {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);
  private static final long LONGEST_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final LockClient client;
  private final String name;
  private final String key;
  private final long waitNanos;
  private final long startNanos;
  private final FailureTracker failures = new FailureTracker();
  private final CompletableFuture<Boolean> result = new CompletableFuture<>();
  private final AtomicReference<@Nullable String> seen = new AtomicReference<>();
  private volatile @Nullable Timeout next;

  private LatchWait(LockClient client, String name, String key, long waitNanos) {
    this.client = client;
    this.name = name;
    this.key = key;
    this.waitNanos = waitNanos;
    this.startNanos = client.nanoTime();
  }

  /**
   * Starts a wait.
   *
   * @param waitNanos how long to wait; {@link LockOptions#FOREVER} waits without end
   */
  public static LatchWait start(
      LockClient client, String name, String key, String channel, long waitNanos) {
    LatchWait wait = new LatchWait(client, name, key, waitNanos);
    if (!client.waits().enter(wait)) {
      return wait;
    }
    ChannelSubscription subscription =
        waitNanos > 0 ? client.deployment().subscribe(channel, wait) : () -> {};
    wait.result.whenComplete(
        (isZero, failure) -> {
          client.waits().leave(wait);
          subscription.close();
          wait.stop();
        });
    // The end is planned after the first request, so that a short wait does not end before this
    // request.
    wait.checkAgain();
    if (waitNanos < LockOptions.FOREVER) {
      wait.endIn(waitNanos > 0 ? waitNanos : client.answerTimeoutNanos());
    }
    return wait;
  }

  private void endIn(long nanos) {
    Timeout end = client.after(nanos, this::timeUp);
    if (end == null) {
      close();
    } else {
      result.whenComplete((isZero, failure) -> end.cancel());
    }
  }

  private void stop() {
    Timeout check = next;
    if (check != null) {
      check.cancel();
    }
  }

  /** Returns the result: true if the count reached zero, or false at the end of the wait. */
  public CompletableFuture<Boolean> result() {
    return result;
  }

  /** Ends the wait with the result false, unless it has ended. */
  public void cancel() {
    result.complete(false);
  }

  @Override
  public void close() {
    result.completeExceptionally(LockFailures.closed());
  }

  @Override
  public void begun() {
    check();
  }

  @Override
  public void message(byte[] message) {
    // The message names the cycle that ended. A different cycle ended before this wait began, or
    // began after the cycle that this wait has seen; a request finds out which.
    if (new String(message, UTF_8).equals(seen.get())) {
      result.complete(true);
    } else {
      check();
    }
  }

  private void checkAgain() {
    if (result.isDone()) {
      return;
    }
    check();
    next = client.after(CHECK_NANOS, this::checkAgain);
    if (next == null) {
      close();
    } else if (result.isDone()) {
      stop();
    }
  }

  private void check() {
    try {
      failures.asked(client.nanoTime());
      LatchState.ask(client, key)
          .whenComplete(
              (state, failure) -> {
                if (failure == null) {
                  failures.answered();
                  answered(state);
                } else {
                  failed(Failures.unwrap(failure));
                }
              });
    } catch (Throwable e) { // for example no memory; the wait would have no further check
      result.completeExceptionally(e);
    }
  }

  private void answered(LatchState state) {
    String first = seen.compareAndExchange(null, state.cycle());
    boolean hasEnded = first != null && !first.equals(state.cycle());
    if (state.count() == 0 || hasEnded) {
      result.complete(true);
    } else if (waitNanos == 0) {
      result.complete(false);
    }
  }

  private void failed(Throwable cause) {
    long now = client.nanoTime();
    failures.failed(cause, now);
    boolean hopeless = !RedisCallException.isTransient(cause);
    if (hopeless
        || (waitNanos == LockOptions.FOREVER
            && failures.hasLasted(LONGEST_FAILURE_NANOS, startNanos, now))) {
      result.completeExceptionally(explain(cause));
    }
  }

  private void timeUp() {
    long now = client.nanoTime();
    long patience = failures.firstAnswerIn(now);
    if (patience > 0) {
      endIn(patience);
      return;
    }
    Throwable silence = failures.failureOrSilence(now);
    if (silence == null) {
      result.complete(false);
    } else {
      result.completeExceptionally(explain(silence));
    }
  }

  private PunctualException explain(Throwable failure) {
    return explain(client, name, failure);
  }

  /** Returns the exception for users after a request about a latch has failed. */
  public static PunctualException explain(LockClient client, String name, Throwable failure) {
    return LockFailures.explain(client, "Latch '" + name + "' could not be asked", failure);
  }
}
