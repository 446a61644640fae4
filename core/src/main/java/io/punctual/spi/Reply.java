package io.punctual.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A partition's answer to a {@link Call}. */
public sealed interface Reply {
  /**
   * The partition executed the operations.
   *
   * @param outcomes one outcome for each operation, in the order of the operations
   * @param engineMicros the store's clock at the execution, in microseconds from 1970
   * @param confirmation null if the operations have the durability that the call requires.
   *     Otherwise the stage completes when the durability is known: with null if it is reached, or
   *     with a text for the user that says why it is not certain. The stage never fails, and
   *     completes within a time limit of the store
   */
  record Applied(
      List<Outcome> outcomes,
      long engineMicros,
      @Nullable CompletionStage<@Nullable String> confirmation)
      implements Reply {}

  /**
   * The partition leased messages. The reply to a repeated call contains only messages that are
   * still leased under this token, were not cancelled, and whose lease has not expired. But a claim
   * for delivery {@linkplain Call.Claim#atMostOnce at most once} has removed its messages, and its
   * repeated reply contains all of them. To such a claim, a store with a local disk replies only
   * when the removals are as safe as its settings demand. A claim never waits for replicas: if a
   * fail-over loses the claim, its messages are due again.
   *
   * @param messages the leased messages, in the order that {@link Call.Claim} states
   * @param unreadable the leased entries that can't be read; the client buries them
   * @param token the fencing token of these leases: greater than every earlier token of this
   *     partition
   * @param engineMicros the store's clock at the claim, in microseconds from 1970
   * @param untilNextMicros the time in microseconds from the claim until a message is due or a
   *     lease has expired, and the {@linkplain Partition#limits limits} allow a claim of this
   *     message. 0 if the store ended the claim early, for example because the reply became large,
   *     or if the claim reached its limit and the store needs a further claim as soon as the client
   *     has room. {@link #NONE} if the client need not claim before the next hint, for example
   *     because the partition is empty, the queue is paused, or the store will wake a different
   *     client
   * @param isShort whether the share of the partition in the {@linkplain Partition#limits limits}
   *     prevented the lease of a message; free shares of other partitions may then help
   */
  record Claimed(
      List<Leased> messages,
      List<Unreadable> unreadable,
      long token,
      long engineMicros,
      long untilNextMicros,
      boolean isShort)
      implements Reply {
    /** Creates the reply to a claim that the share of the limits did not cut short. */
    public Claimed(
        List<Leased> messages,
        List<Unreadable> unreadable,
        long token,
        long engineMicros,
        long untilNextMicros) {
      this(messages, unreadable, token, engineMicros, untilNextMicros, false);
    }
  }

  /**
   * The call had no effect, because an earlier call has not arrived. {@code expected} is the next
   * number of the session.
   */
  record Gap(long expected) implements Reply {}

  /**
   * The call had no effect, because the partition does not know the session, or a second client has
   * used the number of the call.
   */
  record NoSession() implements Reply {}

  /**
   * The call had no effect, because the partition no longer has the answer to this number. Either
   * the client has confirmed that it received the answer, or the partition executed the call
   * earlier and can no longer report its result.
   */
  record Forgotten() implements Reply {}

  /**
   * The value of {@link Claimed#untilNextMicros} if the client need not claim before the next hint.
   */
  long NONE = Long.MAX_VALUE;

  /**
   * A leased message.
   *
   * @param id the message's id
   * @param content the scheduled content
   * @param dueMillis the due time, in milliseconds from 1970
   * @param attempt the number of this delivery, from 1; released deliveries do not count
   * @param history the bytes that the client stored with the last retry; empty before, and after a
   *     redrive or a repeat
   */
  record Leased(String id, Content content, long dueMillis, int attempt, byte[] history) {}

  /**
   * A leased entry that is damaged, or that this store did not write.
   *
   * @param id the entry's id
   * @param why the fault, for the user
   */
  record Unreadable(String id, String why) {}
}
