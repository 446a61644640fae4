package io.punctual.embedded;

import io.punctual.spi.Partition;

/**
 * Selects the messages of a claim, one by one: expired leases in the order of their ends, then due
 * messages in the order of their due times. If a message was cancelled while leased, and its lease
 * has expired, the selection removes the message instead. A claim ends early when its reply would
 * become too large, or after many removals; the client then claims again at once. The limits of the
 * queue end a claim too.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 */
public final class ClaimSelection {
  /**
   * The largest total size of the messages of a reply, not counting the first message, in bytes.
   */
  public static final long REPLY_BYTES = 1 << 20;

  private static final int MAX_REMOVALS = Partition.MAX_PAGE;
  private static final int UNKNOWN = -1;

  private final Claimable messages;
  private long bytes;
  private int removals;

  /**
   * The number of due messages that the claim can still take; {@link #UNKNOWN} until the claim has
   * taken all expired leases.
   */
  private int places;

  /** The messages of a partition, in the order in which claims take them. */
  public interface Claimable {
    /** Returns whether the queue is paused: then nothing can be claimed. */
    boolean isPaused();

    /** The limits of the queue. */
    ClaimLimits limits();

    /** The number of leased messages. */
    int leased();

    /**
     * The slot of the lease that ends first, if it has ended by now; otherwise {@link Slots#NONE}.
     */
    int firstExpired(long nowMillis);

    /**
     * The slot of the waiting message that is due first, if it is due by now; otherwise {@link
     * Slots#NONE}.
     */
    int firstDue(long nowMillis);

    /** Returns whether a message is leased and was cancelled during the lease. */
    boolean isCancelled(int slot);

    /** The approximate size of a message in bytes. */
    int bytes(int slot);

    /** Removes a message from any {@link Place}. */
    void remove(int slot);
  }

  /** Creates a selection from a partition's messages. */
  public ClaimSelection(Claimable messages) {
    this.messages = messages;
  }

  /**
   * Begins a claim.
   *
   * @param limit the largest number of messages that the client wants
   * @return the largest number of messages of this claim: {@code limit}, or fewer if the rate
   *     allows fewer
   */
  public int begin(int limit, EngineTime now) {
    bytes = 0;
    removals = 0;
    places = UNKNOWN;
    return Math.min(limit, messages.limits().tokens(now));
  }

  /**
   * Returns the slot of the next message to claim, or {@link Slots#NONE} at the end of the claim.
   * The caller must lease the message before it asks for the next message; otherwise it gets the
   * same message again.
   *
   * @param first whether the claim has no message yet; the first message may have any size
   */
  public int next(boolean first, long nowMillis) {
    int slot = messages.isPaused() ? Slots.NONE : expiredOrDue(nowMillis);
    if (slot == Slots.NONE) {
      return Slots.NONE;
    }
    bytes += first ? 0 : messages.bytes(slot);
    return bytes > REPLY_BYTES ? Slots.NONE : slot;
  }

  private int expiredOrDue(long nowMillis) {
    int expired = messages.firstExpired(nowMillis);
    while (expired != Slots.NONE && messages.isCancelled(expired)) {
      if (++removals > MAX_REMOVALS) {
        return Slots.NONE;
      }
      messages.remove(expired);
      expired = messages.firstExpired(nowMillis);
    }
    return expired == Slots.NONE ? due(nowMillis) : expired;
  }

  private int due(long nowMillis) {
    if (places == UNKNOWN) {
      places = messages.limits().places(messages.leased());
    }
    int due = places == 0 ? Slots.NONE : messages.firstDue(nowMillis);
    places -= due == Slots.NONE ? 0 : 1;
    return due;
  }
}
