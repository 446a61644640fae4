package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sessions whose calls run one after another, on the threads of the store. Safe for use by many
 * threads.
 */
final class CallSequence implements Sessions {

  private final StoreThreads threads;
  private final Executor calling;
  private final JdbcCalls calls;
  private final Duty duty;
  private final Changed changed;
  private final Runnable executed;

  /** Receives changes of messages after their commit. */
  interface Changed {
    /**
     * Receives a change.
     *
     * @param earliest the earliest times at which changed messages can be claimed
     */
    void accept(Earliest earliest, EngineTime now);
  }

  /**
   * Creates a sequence.
   *
   * @param changed receives the changes of operations
   * @param executed runs after each call, before its reply
   */
  CallSequence(
      JdbcCalls calls, StoreThreads threads, Duty duty, Changed changed, Runnable executed) {
    this.threads = threads;
    this.calls = calls;
    this.duty = duty;
    this.changed = changed;
    this.executed = executed;
    calling = threads.serial();
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return behind(
        () -> {
          calls.open(session, replaces);
          return null;
        });
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    AtomicBoolean waits = new AtomicBoolean();
    return behind(
        () -> {
          boolean isLocked = waits.getAndSet(true);
          Reply reply = call.body() instanceof Call.Claim ? claimed(call) : applied(call, isLocked);
          executed.run();
          return reply;
        });
  }

  private Reply claimed(Call call) {
    Duty.Claim claim = duty.begin();
    Reply reply = calls.answer(call, true).reply();
    if (!(reply instanceof Reply.Claimed claimed) || calls.metLocks()) {
      return reply;
    }
    return new Reply.Claimed(
        claimed.messages(),
        claimed.unreadable(),
        claimed.token(),
        claimed.engineMicros(),
        duty.claimed(claim, claimed),
        claimed.isShort());
  }

  private Reply applied(Call call, boolean waits) {
    CallResult made = calls.answer(call, waits);
    if (made.reply() instanceof Reply.Applied applied) {
      changed.accept(made.earliest(), new EngineTime(applied.engineMicros()));
    }
    return made.reply();
  }

  /** Runs a task after all calls that were made before it. */
  void execute(Runnable task) {
    calling.execute(task);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return behind(
        () -> {
          calls.close(session);
          return null;
        });
  }

  /** Runs a task after all calls that were made before it. */
  <T extends @Nullable Object> CompletionStage<T> behind(Supplier<T> task) {
    return threads.stage(calling, task);
  }

  /** Notes a committed change of messages; see {@link ClaimState}. */
  void changed(Earliest earliest) {
    calls.changed(earliest);
  }

  /** Ends all sessions if they belong to the queue with this number, which was deleted. */
  CompletionStage<@Nullable Void> deleted(long id) {
    return behind(
        () -> {
          calls.deleted(id);
          return null;
        });
  }
}
