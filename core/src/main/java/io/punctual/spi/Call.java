package io.punctual.spi;

import io.punctual.Durability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One numbered call of a session to its partition. A partition carries each number out once, in
 * order:
 *
 * <ul>
 *   <li>the last number plus one is carried out, and its answer remembered;
 *   <li>a number whose answer is remembered is answered again, without effect ({@link
 *       Reply.Claimed} says how for claims), if the call is {@linkplain #repeated repeated};
 *   <li>an older number is answered {@link Reply.Forgotten}, a higher one {@link Reply.Gap}, and a
 *       session that the partition does not know {@link Reply.NoSession}, all without effect;
 *   <li>a number that was used already, in a call that is not repeated, is answered {@link
 *       Reply.NoSession} without effect: another client uses the session. Processes that were
 *       restored from one image do.
 * </ul>
 *
 * @param session the id of the session, from {@link Partition#openSession}
 * @param number 1 or more
 * @param lowestUnanswered the lowest number that the client has no answer to yet; the partition
 *     forgets the answers below it
 * @param body what to do
 * @param repeated whether the call was sent before and may have been carried out then
 */
public record Call(
    String session, long number, long lowestUnanswered, Body body, boolean repeated) {
  /** Creates a call that may have been sent before. */
  public Call(String session, long number, long lowestUnanswered, Body body) {
    this(session, number, lowestUnanswered, body, true);
  }

  /** What a call asks for. */
  public sealed interface Body {}

  /**
   * Changes, carried out in this order.
   *
   * @param operations up to {@link Partition#MAX_OPERATIONS}; none is allowed and does nothing
   * @param durability how far the changes must have travelled before they are {@linkplain
   *     Reply.Applied#confirmation confirmed}, or null for the store's own setting. The reply does
   *     not wait for it
   */
  public record Apply(List<Operation> operations, @Nullable Durability durability)
      implements Body {}

  /**
   * Takes messages whose leases have run out, then messages that are due, earliest due first.
   *
   * @param limit how many at most; 0 only asks when the next one is due
   * @param leaseMillis how long they are held, 1 or more
   */
  public record Claim(int limit, long leaseMillis) implements Body {}
}
