package io.punctual.journal.partition;

import io.punctual.PunctualException;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.disk.Space;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.JournalThread;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Tokens;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the partitions of an open journal share, and the methods with which a caller runs
 * an action on the journal's thread. {@link #fail}, {@link #failure}, {@link #requireWorking},
 * {@link #submitWhenSafe} and {@link #answerWhenSafe} are for the journal's thread alone. All other
 * methods are safe for use by many threads.
 */
public final class Journal {
  private final JournalThread thread;
  private final Executor replies;
  private final InstantSource clock;
  private final RecordLog log;
  private final Tokens tokens;
  private final Partitions partitions;
  private final Space space;

  /** The failure to report if there is no memory to describe the actual failure. */
  private final RuntimeException undescribed;

  private volatile @Nullable RuntimeException failure;

  public Journal(
      JournalThread thread,
      Executor replies,
      InstantSource clock,
      RecordLog log,
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
    undescribed = closedForGood(new OutOfMemoryError("there is no memory to describe the cause"));
    prepareRefusals();
  }

  /**
   * Loads the classes with which a failed journal refuses calls. After the failure, classes may no
   * longer load for lack of memory or of file descriptors.
   */
  private void prepareRefusals() {
    CompletableFuture<Boolean> refused = new CompletableFuture<>();
    refuse(refused, refusal(undescribed), replies);
    confirmation(refused, () -> {}, replies).failed(undescribed);
  }

  public JournalThread thread() {
    return thread;
  }

  public RecordLog log() {
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
   * Fails the journal permanently: it begins no further write, because the files may differ from
   * the state in memory. If this method throws, for example for lack of memory, the journal has
   * failed all the same, and another call fails the calls that still wait.
   */
  public void fail(Throwable cause) {
    thread.fail(cause);
    RuntimeException why = failure;
    if (why == null) {
      why = undescribed;
      failure = why;
      why = closedForGood(cause);
      failure = why;
    }
    log.fail(why);
  }

  private static RuntimeException closedForGood(Throwable cause) {
    return new PunctualException(
        "The journal has closed for good: "
            + (cause instanceof IOException ? cause.getMessage() : cause)
            + ". Changes in flight may or may not have taken effect; restart the process, which"
            + " reads the files",
        cause);
  }

  /** Throws if the journal has failed. The call is then refused without effect. */
  void requireWorking() {
    RuntimeException why = failure;
    if (why != null) {
      throw refusal(why);
    }
  }

  private static Partition.PartitionException refusal(RuntimeException why) {
    return new Partition.PartitionException(String.valueOf(why.getMessage()), why);
  }

  /**
   * Runs a look-up, or a change, on the journal's thread. The result completes when this change and
   * all earlier changes are as safe as the option {@code fsync} demands.
   */
  public <T extends @Nullable Object> CompletableFuture<T> look(Supplier<T> look) {
    return look(look, replies);
  }

  /**
   * Runs a look-up, or a change, as {@link #look} does, for a part of the journal that waits for
   * the result. The journal's thread itself completes the result, so that no callback of a caller
   * can hold up that part. The result must have no callbacks.
   */
  public <T extends @Nullable Object> CompletableFuture<T> lookInside(Supplier<T> look) {
    return look(look, Runnable::run);
  }

  private <T extends @Nullable Object> CompletableFuture<T> look(
      Supplier<T> look, Executor completing) {
    CompletableFuture<T> result = new CompletableFuture<>();
    submitCall(
        result,
        () -> {
          requireWorking();
          completeWhenSafe(result, look.get(), completing);
        },
        completing);
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
    submitCall(result, action, replies);
  }

  private void submitCall(CompletableFuture<?> result, Runnable action, Executor completing) {
    thread.execute(
        new JournalThread.Task() {
          @Override
          public void run() {
            try {
              action.run();
            } catch (RuntimeException e) {
              refuse(result, e, completing);
            }
          }

          @Override
          public void failed(Throwable cause) {
            // The action may have changed a part of the state. A PartitionException would say
            // that it changed nothing.
            refuse(result, broken(cause), completing);
          }

          @Override
          public void refused(RuntimeException why) {
            refuse(result, why, completing);
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
    log.whenSafe(confirmation(result, () -> submit(result, action), replies));
  }

  public <T extends @Nullable Object> void answerWhenSafe(CompletableFuture<T> result, T answer) {
    completeWhenSafe(result, answer, replies);
  }

  /** As {@link #answerWhenSafe}, for a result that a part of the journal waits for. */
  <T extends @Nullable Object> void answerInsideWhenSafe(CompletableFuture<T> result, T answer) {
    completeWhenSafe(result, answer, Runnable::run);
  }

  private <T extends @Nullable Object> void completeWhenSafe(
      CompletableFuture<T> result, T answer, Executor completing) {
    Runnable complete = () -> result.complete(answer);
    log.whenSafe(confirmation(result, () -> completing.execute(complete), completing));
  }

  private static Frame.Confirmation confirmation(
      CompletableFuture<?> result, Runnable confirmed, Executor completing) {
    return new Frame.Confirmation() {
      @Override
      public void confirmed() {
        confirmed.run();
      }

      @Override
      public void failed(RuntimeException why) {
        refuse(result, why, completing);
      }
    };
  }

  private static void refuse(CompletableFuture<?> result, Throwable why, Executor completing) {
    completing.execute(() -> result.completeExceptionally(why));
  }
}
