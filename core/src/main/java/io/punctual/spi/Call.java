package io.punctual.spi;

import io.punctual.Durability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A numbered call of a session to its partition. A partition executes the calls of a session once
 * each, in the order of their numbers. It compares the call's number with the last executed number:
 *
 * <ul>
 *   <li>The last number plus one: the partition executes the call and remembers the answer.
 *   <li>A number with a remembered answer, in a call that is {@linkplain #repeated repeated}: the
 *       partition returns the answer again, without effect. {@link Reply.Claimed} states which
 *       messages the answer to a repeated claim contains.
 *   <li>An older number in a repeated call: {@link Reply.Forgotten}, without effect.
 *   <li>A higher number: {@link Reply.Gap}, without effect.
 *   <li>A used number in a call that is not repeated: {@link Reply.NoSession}, without effect. A
 *       second client must have used the number, for example a process that was restored from the
 *       same image.
 * </ul>
 *
 * <p>The partition answers a call of an unknown session with {@link Reply.NoSession}, without
 * effect. Immutable.
 *
 * @param session the id of the session, from {@link Partition#openSession}
 * @param number the call's number, from 1
 * @param lowestUnanswered the lowest number without an answer at the client; the partition forgets
 *     the answers of lower numbers
 * @param body the operations or the claim
 * @param repeated whether the client sent the call before, so that the partition may have executed
 *     it
 */
public record Call(
    String session, long number, long lowestUnanswered, Body body, boolean repeated) {
  /** Creates a call that the client may have sent before. */
  public Call(String session, long number, long lowestUnanswered, Body body) {
    this(session, number, lowestUnanswered, body, true);
  }

  /** The content of a call: operations or a claim. */
  public sealed interface Body {}

  /**
   * Operations, which the partition executes in this order.
   *
   * @param operations at most {@link Partition#MAX_OPERATIONS}; an empty list has no effect
   * @param durability where the changes must be stored before they are {@linkplain
   *     Reply.Applied#confirmation confirmed}, or null for the store's own setting. The reply does
   *     not wait for the confirmation
   */
  public record Apply(List<Operation> operations, @Nullable Durability durability)
      implements Body {}

  /**
   * Leases messages: first messages with expired leases, then due messages, earliest due first.
   *
   * <p>A claim with {@code atMostOnce} removes its messages in the same step, so they hold neither
   * a lease nor a place of a limit afterwards. The partition keeps the whole answer until the
   * client has confirmed it, because it can't read the messages again. Messages that can't be read
   * are leased and not removed, so that the client can bury them.
   *
   * @param limit the largest number of messages; 0 only asks when the next message is due
   * @param leaseMillis the length of the leases in milliseconds, from 1
   * @param atMostOnce whether the claim removes the messages that it returns
   */
  public record Claim(int limit, long leaseMillis, boolean atMostOnce) implements Body {
    /** Creates a claim of messages that are delivered again when their leases expire. */
    public Claim(int limit, long leaseMillis) {
      this(limit, leaseMillis, false);
    }
  }
}
