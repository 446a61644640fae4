package io.punctual.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a partition answers to a {@link Call}. */
public sealed interface Reply {
  /**
   * The operations were carried out.
   *
   * @param outcomes one an operation, in their order
   * @param engineMicros the store's clock when it carried them out, in microseconds from 1970
   * @param confirmation null if the operations are as durable as the call asked for. Otherwise
   *     completes once that is known: with null if they are, or with why that is not certain, for
   *     the user. It never fails, and completes within a bound of the store's own
   */
  record Applied(
      List<Outcome> outcomes,
      long engineMicros,
      @Nullable CompletionStage<@Nullable String> confirmation)
      implements Reply {}

  /**
   * Messages were leased. Answered again, it holds only those that are still leased under the
   * token, whose lease has not run out, and that were not cancelled.
   *
   * @param messages what was leased, earliest due first
   * @param unreadable what was leased but can't be read, to be buried by the client
   * @param token the fencing token of all of these leases: greater than every one before it in this
   *     partition
   * @param engineMicros the store's clock at the claim, in microseconds from 1970
   * @param untilNextMicros how long from then until the next message is due or the next lease runs
   *     out, in microseconds: 0 if the claim was cut short by a limit, {@link #NONE} if there is
   *     nothing to wait for, the queue is paused, or the store will wake another client; 0 also if
   *     the claim took its limit and the store wants a claim once the client has room again
   */
  record Claimed(
      List<Leased> messages,
      List<Unreadable> unreadable,
      long token,
      long engineMicros,
      long untilNextMicros)
      implements Reply {}

  /**
   * Without effect: an earlier call has not arrived; this is the number that the partition expects.
   */
  record Gap(long expected) implements Reply {}

  /** Without effect: the partition does not know the session. */
  record NoSession() implements Reply {}

  /**
   * Without effect: the partition has no answer to this number any more. The client said before
   * that it has the answer, or the partition carried the call out and can never say with which
   * result.
   */
  record Forgotten() implements Reply {}

  /** Nothing to wait for. */
  long NONE = Long.MAX_VALUE;

  /**
   * A leased message.
   *
   * @param id its id
   * @param content what was scheduled
   * @param dueMillis when it was due, in milliseconds from 1970
   * @param attempt 1 for the first delivery; every claim counts but those that were released
   * @param history what the client left with the last retry; empty at first
   */
  record Leased(String id, Content content, long dueMillis, int attempt, byte[] history) {}

  /**
   * A leased entry that is not a message this store wrote, or is damaged.
   *
   * @param id its id
   * @param why what is wrong with it, for the user
   */
  record Unreadable(String id, String why) {}
}
