package io.punctual.journal.partition;

import io.punctual.PunctualException;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.disk.Space;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.JournalThread;
import io.punctual.journal.log.Log;
import io.punctual.journal.log.Tokens;
import io.punctual.spi.Partition;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the partitions of an open journal share. All methods except {@link #thread} and
 * {@link #now} are for the journal's thread alone.
 */
public final class Journal {
  private final JournalThread thread;
  private final Executor replies;
  private final InstantSource clock;
  private final Log log;
  private final Tokens tokens;
  private final Partitions partitions;
  private final Space space;
  private @Nullable RuntimeException failure;

  public Journal(
      JournalThread thread,
      Executor replies,
      InstantSource clock,
      Log log,
      Tokens tokens,
      Partitions partitions,
      Space space) {
    this.thread = thread;
    this.replies = replies;
    this.clock = clock;
    this.log = log;
    this.tokens = tokens;
    this.partitions = partitions;
    this.space = space;
  }

  public JournalThread thread() {
    return thread;
  }

  public Log log() {
    return log;
  }

  public Tokens tokens() {
    return tokens;
  }

  public Partitions partitions() {
    return partitions;
  }

  public Space space() {
    return space;
  }

  public EngineTime now() {
    return EngineTime.of(clock.instant());
  }

  /** Runs user code, on a thread where it delays nothing. */
  void reply(Runnable action) {
    replies.execute(action);
  }

  /** Why nothing is written any more, or null. */
  public @Nullable RuntimeException failure() {
    return failure;
  }

  /** Ends all writes: the disk may differ from the state in memory. */
  public void fail(Throwable cause) {
    if (failure == null) {
      failure =
          new PunctualException(
              "The journal has closed for good: "
                  + (cause instanceof Exception ? cause.getMessage() : cause)
                  + ". What was under way may be done or not; restart the process, which reads what"
                  + " is on the disk",
              cause);
      log.fail(failure);
    }
  }

  /** Has the journal's thread call {@link #fail}; on any thread. */
  public void failLater(Throwable cause) {
    thread.executeInAnyCase(() -> fail(cause));
  }

  /** Refuses a call that begins after a failure; the call has no effect. */
  void requireWorking() {
    if (failure != null) {
      throw new Partition.PartitionException(String.valueOf(failure.getMessage()), failure);
    }
  }

  /**
   * Runs a look-up on the journal's thread; its answer is completed when all changes before it are
   * safe.
   */
  public <T extends @Nullable Object> CompletableFuture<T> look(Supplier<T> look) {
    CompletableFuture<T> result = new CompletableFuture<>();
    submit(result, () -> answerWhenSafe(result, look.get()));
    return result;
  }

  /**
   * Runs {@code action} on the journal's thread, unless the journal has failed; if it throws, so
   * does the result.
   */
  void submit(CompletableFuture<?> result, Runnable action) {
    submitCall(
        result,
        () -> {
          requireWorking();
          action.run();
        });
  }

  /** Runs {@code action} on the journal's thread in any case; if it throws, so does the result. */
  void submitCall(CompletableFuture<?> result, Runnable action) {
    thread.execute(
        new JournalThread.Task() {
          @Override
          public void run() {
            try {
              action.run();
            } catch (RuntimeException e) {
              reply(() -> result.completeExceptionally(e));
            } catch (Error e) {
              // Nobody knows how far it came.
              reply(() -> result.completeExceptionally(broken(e)));
              throw e;
            }
          }

          @Override
          public void refused(RuntimeException why) {
            reply(() -> result.completeExceptionally(why));
          }
        });
  }

  private static PunctualException broken(Throwable cause) {
    return new PunctualException(
        "The journal broke down while this was done, and closes: " + cause, cause);
  }

  /** Runs {@code action} once everything so far is safe; if it throws, so does the result. */
  void submitWhenSafe(CompletableFuture<?> result, Runnable action) {
    log.whenSafe(
        new Frame.Confirmation() {
          @Override
          public void confirmed() {
            submit(result, action);
          }

          @Override
          public void failed(RuntimeException why) {
            reply(() -> result.completeExceptionally(why));
          }
        });
  }

  public <T extends @Nullable Object> void answerWhenSafe(CompletableFuture<T> result, T answer) {
    log.whenSafe(
        new Frame.Confirmation() {
          @Override
          public void confirmed() {
            reply(() -> result.complete(answer));
          }

          @Override
          public void failed(RuntimeException why) {
            reply(() -> result.completeExceptionally(why));
          }
        });
  }
}
