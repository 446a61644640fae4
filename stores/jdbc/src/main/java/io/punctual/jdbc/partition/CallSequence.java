package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sessions whose calls run one after another, on the threads of the store. Safe for use by many
 * threads.
 */
final class CallSequence implements Sessions {
  private final StoreThreads threads;
  private final SerialExecutor calling;
  private final Calls calls;
  private final Duty duty;
  private final Changed changed;

  /** Receives changes of messages after their commit. */
  interface Changed {
    /**
     * Receives a change.
     *
     * @param earliestMillis the earliest time at which a changed message can be claimed, or {@link
     *     Long#MAX_VALUE} if there is none
     */
    void accept(long earliestMillis, EngineTime now);
  }

  /**
   * Creates a sequence.
   *
   * @param changed receives the changes of operations
   */
  CallSequence(Calls calls, StoreThreads threads, Duty duty, Changed changed) {
    this.threads = threads;
    this.calls = calls;
    this.duty = duty;
    this.changed = changed;
    calling = new SerialExecutor(threads);
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
    return behind(() -> call.body() instanceof Call.Claim ? claimed(call) : applied(call));
  }

  private Reply claimed(Call call) {
    Duty.Claim claim = duty.begin();
    Reply reply = calls.answer(call).reply();
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

  private Reply applied(Call call) {
    Calls.Made made = calls.answer(call);
    if (made.reply() instanceof Reply.Applied applied) {
      changed.accept(made.earliestMillis(), new EngineTime(applied.engineMicros()));
    }
    return made.reply();
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
  void changed(long earliestMillis) {
    calls.changed(earliestMillis);
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
