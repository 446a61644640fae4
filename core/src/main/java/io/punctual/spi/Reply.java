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
   * The partition leased messages. The reply to a repeated call contains only the messages that
   * still have the lease of this token, whose lease has not expired, and that were not cancelled
   * other than by a claim {@linkplain Call.Claim#atMostOnce at most once}. An embedded store
   * replies to a claim at most once when the cancels are on disk. A claim never waits for replicas:
   * a fail-over that loses it brings its messages back.
   *
   * @param messages the leased messages, earliest due first
   * @param unreadable the leased entries that can't be read; the client buries them
   * @param token the fencing token of these leases: greater than every earlier token of this
   *     partition
   * @param engineMicros the store's clock at the claim, in microseconds from 1970
   * @param untilNextMicros the time from the claim until the next message is due or the next lease
   *     expires, in microseconds. 0 if a limit cut the claim short, or if the claim reached its
   *     limit and the store wants a claim once the client has room again. {@link #NONE} if the
   *     partition is empty, the queue is paused, or the store will wake another client
   */
  record Claimed(
      List<Leased> messages,
      List<Unreadable> unreadable,
      long token,
      long engineMicros,
      long untilNextMicros)
      implements Reply {}

  /**
   * No effect: an earlier call has not arrived. {@code expected} is the next number of the session.
   */
  record Gap(long expected) implements Reply {}

  /** No effect: the partition does not know the session. */
  record NoSession() implements Reply {}

  /**
   * No effect: the partition no longer has the answer to this number. Either the client has
   * confirmed that it received the answer, or the partition executed the call and can't report its
   * result any more.
   */
  record Forgotten() implements Reply {}

  /** The value of {@link Claimed#untilNextMicros} if there is nothing to wait for. */
  long NONE = Long.MAX_VALUE;

  /**
   * A leased message.
   *
   * @param id the message's id
   * @param content the scheduled content
   * @param dueMillis the due time, in milliseconds from 1970
   * @param attempt the number of this delivery, from 1; released deliveries do not count
   * @param history the bytes that the client stored with the last retry; empty at first
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
