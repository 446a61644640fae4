package io.punctual.httpstore.service;

import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts the calls of a session in their order, because two connections can overtake each other. A
 * call that the store answers with a gap waits for the call before it, for a short time, and is
 * then made again. The call before it may arrive at another server, so the waiting call also looks
 * from time to time. Thread-safe.
 */
final class SessionOrder {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final DueTimer timer;
  private final long patienceNanos;
  private final Map<String, Lane> lanes = new HashMap<>();

  /** The calls of a session that have no answer yet. */
  private static final class Lane {
    int calls;
    long answered;

    /** The time of the last answer on the timer's clock, or of the first call. */
    long latestNanos;

    final List<CompletableFuture<@Nullable Void>> waiting = new ArrayList<>();
  }

  /**
   * Creates an order.
   *
   * @param patience how long a call waits while no call of its session is answered
   */
  SessionOrder(DueTimer timer, Duration patience) {
    this.timer = timer;
    this.patienceNanos = patience.toNanos();
  }

  /**
   * Makes a call.
   *
   * @param session a name of the session that is unique in the store
   */
  CompletionStage<Reply> call(Sessions sessions, String session, Call call) {
    Lane lane;
    synchronized (lanes) {
      lane = lanes.computeIfAbsent(session, id -> new Lane());
      lane.latestNanos = timer.nanoTime();
      lane.calls++;
    }
    CompletionStage<Reply> reply;
    try {
      reply = attempt(sessions, lane, call);
    } catch (Throwable e) {
      reply = CompletableFuture.failedStage(e);
    }
    return reply.whenComplete((answer, failure) -> ended(session, lane, call, answer));
  }

  private CompletionStage<Reply> attempt(Sessions sessions, Lane lane, Call call) {
    return sessions
        .call(call)
        .thenCompose(
            reply ->
                reply instanceof Reply.Gap gap && gap.expected() < call.number() && isWaiting(lane)
                    ? turn(lane, call).thenCompose(n -> attempt(sessions, lane, call))
                    : CompletableFuture.completedStage(reply));
  }

  private boolean isWaiting(Lane lane) {
    synchronized (lanes) {
      return timer.nanoTime() - lane.latestNanos < patienceNanos;
    }
  }

  /** Completes when the call before has been answered here, or it is time to look again. */
  private CompletableFuture<@Nullable Void> turn(Lane lane, Call call) {
    CompletableFuture<@Nullable Void> turn = new CompletableFuture<>();
    synchronized (lanes) {
      if (lane.answered >= call.number() - 1) {
        return CompletableFuture.completedFuture(null);
      }
      lane.waiting.add(turn);
    }
    timer.schedule(LOOK_NANOS, () -> turn.complete(null));
    return turn;
  }

  private void ended(String session, Lane lane, Call call, @Nullable Reply reply) {
    List<CompletableFuture<@Nullable Void>> next;
    synchronized (lanes) {
      if (reply instanceof Reply.Applied || reply instanceof Reply.Claimed) {
        lane.answered = Math.max(lane.answered, call.number());
        lane.latestNanos = timer.nanoTime();
      }
      next = List.copyOf(lane.waiting);
      lane.waiting.clear();
      if (--lane.calls == 0) {
        lanes.remove(session);
      }
    }
    next.forEach(each -> each.complete(null));
  }
}
