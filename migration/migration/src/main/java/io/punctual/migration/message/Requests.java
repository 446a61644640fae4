package io.punctual.migration.message;

import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.internal.runtime.Backoff;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for the answers of stores, and repeats requests that a store could not answer. */
public final class Requests {
  private static final Logger log = LoggerFactory.getLogger(Requests.class);
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private Requests() {}

  /**
   * Sends a request that may be repeated, until the store answers or a minute has passed.
   *
   * @param what the request, as the beginning of a sentence in an exception
   * @throws OutcomeUnknownException if the store did not answer for a minute
   * @throws PunctualException if the store refused the request
   */
  public static <T extends @Nullable Object> T answer(
      String what, Supplier<? extends CompletionStage<T>> request) {
    return answer(what, request, request);
  }

  /**
   * Sends a request. If the store does not answer it, sends {@code again} until the store answers
   * or a minute has passed.
   */
  public static <T extends @Nullable Object> T answer(
      String what,
      Supplier<? extends CompletionStage<T>> request,
      Supplier<? extends CompletionStage<T>> again) {
    long beganNanos = System.nanoTime();
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));
    Supplier<? extends CompletionStage<T>> next = request;
    while (true) {
      try {
        return next.get().toCompletableFuture().get();
      } catch (InterruptedException e) {
        throw interrupted(what, e);
      } catch (ExecutionException e) {
        throwIfFinal(what, e.getCause(), System.nanoTime() - beganNanos > PATIENCE_NANOS);
        long nanos = backoff.failed(ThreadLocalRandom.current());
        long pause = TimeUnit.NANOSECONDS.toMillis(nanos);
        log.warn("{} failed; trying again in {} ms: {}", what, pause, String.valueOf(e.getCause()));
        sleep(what, pause);
      }
      next = again;
    }
  }

  static void throwIfFinal(String what, @Nullable Throwable failure, boolean late) {
    boolean refused =
        failure instanceof Partition.PartitionException
            || failure instanceof IllegalArgumentException
            || failure instanceof UnsupportedOperationException;
    if (refused || failure instanceof Error) {
      throw new PunctualException(
          what + (refused ? " was refused: " : " failed: ") + text(failure), failure);
    }
    if (late && failure instanceof NotDoneException) {
      throw new PunctualException(what + " failed for a minute: " + text(failure), failure);
    } else if (late) {
      throw new OutcomeUnknownException(
          what + " got no answer for a minute: " + text(failure), null, failure);
    }
  }

  /** The store has answered, but has not done the request, or does not confirm it. */
  static final class NotDoneException extends PunctualException {
    private static final long serialVersionUID = 1;

    NotDoneException(String message) {
      super(message, null);
    }
  }

  private static String text(@Nullable Throwable failure) {
    if (failure == null) {
      return "no reason known";
    }
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  public static void sleep(String what, long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    }
  }

  private static PunctualException interrupted(String what, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new PunctualException(what + " was interrupted", e);
  }
}
