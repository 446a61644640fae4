package io.punctual.internal.session;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the partition for a session, without the session's lock, and passes each reply to the
 * session.
 */
final class SessionIo {
  private final Sessions sessions;
  private final Environment env;
  private final PartitionSession session;
  private final Runnable onStalePartitionCount;

  SessionIo(
      Sessions sessions,
      Environment env,
      PartitionSession session,
      Runnable onStalePartitionCount) {
    this.sessions = sessions;
    this.env = env;
    this.session = session;
    this.onStalePartitionCount = onStalePartitionCount;
  }

  /**
   * Takes a step. If the partition answers at once, the session receives the reply before this
   * method returns.
   */
  void take(SessionStep step) {
    if (step instanceof SessionStep.Send send) {
      Answer<Reply> answer = new Answer<>(step);
      CompletionStage<?> unused =
          StoreCall.stage(() -> sessions.call(send.call())).whenComplete(answer);
    } else if (step instanceof SessionStep.Open open) {
      Answer<@Nullable Void> answer = new Answer<>(step);
      CompletionStage<?> unused =
          StoreCall.stage(() -> sessions.openSession(open.session(), open.replaces()))
              .whenComplete(answer);
    } else if (step instanceof SessionStep.HandOver handOver) {
      Pending.OfOperation moved = handOver.operation();
      handOver.to().submit(moved.operation(), moved.durability(), moved.callback());
      session.handedOver();
    } else if (step instanceof SessionStep.Forget forget) {
      // If this request is lost, the partition forgets the unused session later without it.
      CompletionStage<?> unused = StoreCall.stage(() -> sessions.closeSession(forget.session()));
    }
  }

  /**
   * Passes the answer to a step to the session. It exists before the step is taken, because memory
   * may be short when the answer arrives.
   */
  private final class Answer<T extends @Nullable Object>
      implements BiConsumer<T, @Nullable Throwable>, Runnable {
    private final SessionStep step;
    private @Nullable Object value;
    private @Nullable Throwable error;

    Answer(SessionStep step) {
      this.step = step;
    }

    @Override
    public void accept(T answered, @Nullable Throwable failure) {
      value = answered;
      error = failure;
      try {
        session.arrived(this);
      } catch (Throwable e) {
        session.failed(e);
      }
    }

    @Override
    public void run() {
      if (step instanceof SessionStep.Send send) {
        session.ended(send.of(), send.inFlight(), (Reply) value, error);
      } else if (step instanceof SessionStep.Open open) {
        session.opened(open.of(), open.session(), error);
      }
    }
  }

  /** Pauses the session for this time, and then calls {@link PartitionSession#pauseEnded}. */
  void pause(long nanos) {
    env.timer().schedule(nanos, session::pauseEnded);
  }

  /** Reports that the client's number of partitions is stale. */
  void stalePartitionCount() {
    onStalePartitionCount.run();
  }

  /** Waits for the confirmation of a call, and then passes it to the session. */
  void awaitConfirmation(
      UnconfirmedCalls.Unconfirmed call, CompletionStage<@Nullable String> confirmation) {
    CompletionStage<?> unused =
        confirmation
            .exceptionally(failure -> StoreFailures.forReport(failure).toString())
            .thenAccept(why -> session.arrived(() -> session.confirmed(call, why)));
  }
}
