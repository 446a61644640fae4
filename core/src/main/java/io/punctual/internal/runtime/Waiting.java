package io.punctual.internal.runtime;

import io.punctual.PunctualException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks until a call has its answer, for the blocking forms of the API. In the last part of the
 * time the call is not sent any more if it has not been sent by then, so that its outcome is
 * certain when the time is over. Immutable.
 *
 * @param timeout how long a call waits, for room in the backlog and for its answer together
 */
public record Waiting(Duration timeout) {
  private static final long LAST_PART_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Makes a call and returns its answer, or throws what it failed with. The time that the call
   * itself takes, such as for room in the backlog, counts as well.
   *
   * @throws IllegalStateException if this thread must not block; nothing was asked then
   */
  public <T> T await(Supplier<? extends Awaited<T>> call) {
    BlockingGuard.requireBlockable();
    long started = System.nanoTime();
    Awaited<T> awaited = call.get();
    try {
      return answer(awaited, nanos() - (System.nanoTime() - started));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw awaited.unanswered("was interrupted before its answer came", e);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /** Returns the time-out; one beyond 292 years counts as 292 years. */
  public long nanos() {
    return TimeUnit.NANOSECONDS.convert(timeout);
  }

  private <T> T answer(Awaited<T> awaited, long nanos)
      throws InterruptedException, ExecutionException {
    long last = Math.max(0, Math.min(nanos / 5, LAST_PART_NANOS));
    try {
      return awaited.answer().get(nanos - last, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      awaited.withdraw();
    }
    try {
      return awaited.answer().get(last, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw awaited.unanswered("got no answer within " + timeout.toMillis() + " ms", null);
    }
  }

  /** As {@link #await}, for a call that ends by itself within a bound of its own. */
  public static <T> T forEndOf(Supplier<? extends Awaited<T>> call) {
    BlockingGuard.requireBlockable();
    Awaited<T> awaited = call.get();
    try {
      return awaited.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw awaited.unanswered("was interrupted before its answer came", e);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /**
   * Waits for an end; failures on the way there have been reported where they happened.
   *
   * @throws IllegalStateException if this thread must not block
   */
  public static void forEnd(CompletionStage<?> stage) throws InterruptedException {
    BlockingGuard.requireBlockable();
    try {
      Object unused = stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /** The exception was made on another thread; its trace is kept, and the caller's is added. */
  private static RuntimeException rethrown(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException e) {
      if (e.getSuppressed().length == 0) {
        e.addSuppressed(new PunctualException("called from here"));
      }
      return e;
    }
    return new PunctualException("The store failed: " + failure, failure);
  }
}
