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
 * The parts that the partitions of an open journal share. {@link #fail}, {@link #failure}, {@link
 * #requireWorking}, {@link #submitWhenSafe} and {@link #answerWhenSafe} are for the journal's
 * thread alone. All other methods are safe for use by many threads.
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

  /** Completes a reply on the thread for replies, because user code may run then. */
  void reply(Runnable action) {
    replies.execute(action);
  }

  /** The reason why the journal failed, or null if it has not failed. */
  public @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Fails the journal permanently: it writes nothing more, because the files may differ from the
   * state in memory.
   */
  public void fail(Throwable cause) {
    if (failure == null) {
      failure =
          new PunctualException(
              "The journal has closed for good: "
                  + (cause instanceof Exception ? cause.getMessage() : cause)
                  + ". Changes in flight may or may not have taken effect; restart the process,"
                  + " which reads the files",
              cause);
      log.fail(failure);
    }
  }

  /** Calls {@link #fail} on the journal's thread. May be called on any thread. */
  public void failLater(Throwable cause) {
    thread.executeInAnyCase(() -> fail(cause));
  }

  /** Throws if the journal has failed. The call is then refused without effect. */
  void requireWorking() {
    if (failure != null) {
      throw new Partition.PartitionException(String.valueOf(failure.getMessage()), failure);
    }
  }

  /**
   * Runs a look-up on the journal's thread. The result completes when all earlier changes are as
   * safe as the option {@code fsync} demands.
   */
  public <T extends @Nullable Object> CompletableFuture<T> look(Supplier<T> look) {
    CompletableFuture<T> result = new CompletableFuture<>();
    submit(result, () -> answerWhenSafe(result, look.get()));
    return result;
  }

  /**
   * Runs {@code action} on the journal's thread. Fails {@code result} if the journal has failed or
   * the action throws.
   */
  void submit(CompletableFuture<?> result, Runnable action) {
    submitCall(
        result,
        () -> {
          requireWorking();
          action.run();
        });
  }

  /**
   * Runs {@code action} on the journal's thread, even if the journal has failed. Fails {@code
   * result} if the action throws.
   */
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
              // The action may have changed a part of the state. A PartitionException would say
              // that it changed nothing.
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

  /**
   * Runs {@code action} on the journal's thread once all earlier changes are as safe as the option
   * {@code fsync} demands. Fails {@code result} if the journal fails or the action throws.
   */
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
