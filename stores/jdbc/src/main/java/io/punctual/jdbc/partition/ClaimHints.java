package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.embedded.WakeUps;
import io.punctual.spi.Reply;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends wake-up hints, which state when the next message can be claimed. A change sends a hint to
 * this process only if the next claim might come too late. Thread-safe; the monitor guards all
 * state.
 */
final class ClaimHints {
  private final String queue;
  private final WakeUps wakeUps;
  private final ObjLongConsumer<String> otherProcesses;

  /**
   * The time of the next claim in milliseconds from 1970: the time in the reply of the last claim,
   * or an earlier time to which a change has moved it.
   */
  private long nextMillis = Long.MAX_VALUE;

  /**
   * The number of claims in progress. Their replies may miss a change that is committed meanwhile.
   */
  private int claiming;

  /**
   * Creates an instance.
   *
   * @param wakeUps the listeners in this process
   * @param otherProcesses receives the name of the queue, and the time in microseconds until the
   *     first of its changed messages can be claimed
   */
  ClaimHints(String queue, WakeUps wakeUps, ObjLongConsumer<String> otherProcesses) {
    this.queue = queue;
    this.wakeUps = wakeUps;
    this.otherProcesses = otherProcesses;
  }

  synchronized void claimBegins() {
    claiming++;
  }

  /**
   * Stores the time of the next claim that a reply states. If it is earlier than the old time, also
   * sends a hint with it. Without this hint, the workers of another session would wait until the
   * old time, although a change sends no hint for a message with a time between the two.
   *
   * @param reply the reply, or null if the claim failed
   */
  void claimEnded(@Nullable Reply reply) {
    boolean isEarlier = false;
    long until = 0;
    synchronized (this) {
      claiming--;
      if (reply instanceof Reply.Claimed claimed) {
        until = claimed.untilNextMicros();
        long before = nextMillis;
        nextMillis = until == Reply.NONE ? Long.MAX_VALUE : (claimed.engineMicros() + until) / 1000;
        isEarlier = nextMillis < before;
      }
    }
    if (isEarlier) {
      wakeUps.send(until);
    }
  }

  /**
   * Sends hints after a commit.
   *
   * @param earliestMillis the earliest time at which a changed message can be claimed, or {@link
   *     Long#MAX_VALUE} if there is none
   */
  void changed(long earliestMillis, EngineTime now) {
    if (earliestMillis == Long.MAX_VALUE) {
      return;
    }
    long until = now.until(earliestMillis);
    boolean mayBeLate;
    synchronized (this) {
      mayBeLate = claiming > 0 || earliestMillis < nextMillis;
      nextMillis = Math.min(nextMillis, earliestMillis);
    }
    if (mayBeLate) {
      wakeUps.send(until);
    }
    otherProcesses.accept(queue, until);
  }
}
