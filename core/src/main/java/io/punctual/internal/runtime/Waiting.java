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
 * Blocks until a request is answered, for the blocking forms of the API. When a fifth of the
 * time-out is left, or a second if this is shorter, it withdraws operations that were not sent yet.
 * So their outcome is certain at the end of the time-out. A batch has the time-out for each part of
 * its progress. Immutable.
 *
 * @param timeout how long a call waits at most, for room in the backlog and for its answer together
 * @param lastFailure the reason why a store does not answer
 */
public record Waiting(Duration timeout, LastFailure lastFailure) {
  private static final long LAST_PART_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Sends a request and returns its answer, or throws its failure. The time-out includes the time
   * of the submission itself, such as the wait for room in the backlog.
   *
   * @throws IllegalStateException if this thread must not block; nothing was sent
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

  /** Returns the time-out in nanoseconds, at most 292 years. */
  public long nanos() {
    return TimeUnit.NANOSECONDS.convert(timeout);
  }

  private <T> T answer(Awaited<T> awaited, long nanos)
      throws InterruptedException, ExecutionException {
    long last = Math.max(0, Math.min(nanos / 5, LAST_PART_NANOS));
    long wait = nanos - last;
    for (long before = awaited.progress(); ; wait = nanos() - last) {
      try {
        return awaited.answer().get(wait, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        long now = awaited.progress();
        if (now == before) {
          awaited.withdraw();
          break;
        }
        before = now;
      }
    }
    try {
      return awaited.answer().get(last, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw awaited.unanswered(
          "got no answer within " + timeout.toMillis() + " ms", lastFailure.get());
    }
  }

  /**
   * Sends a request and returns its answer, like {@link #await}, but without a time-out. For
   * claims, which have a time limit of their own, and for work that consists of many bounded steps.
   */
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
   * Waits until the stage completes.
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

  /**
   * Returns the exception to throw. A runtime exception keeps the stack trace of the thread that
   * created it, and receives the caller's stack trace as a suppressed exception, unless it has
   * suppressed exceptions already.
   */
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
