package io.punctual.jdbc.partition;

import java.util.Arrays;

/**
 * A position in the order of times and ids: directly after the message with this time and this id.
 *
 * @param millis the time in milliseconds from 1970
 * @param id the bytes of the id; empty for the position before all messages of the time
 */
record Position(long millis, byte[] id) implements Comparable<Position> {
  /** The position before all messages. */
  static final Position START = before(Long.MIN_VALUE);

  /** Returns the position before all messages with this time. */
  static Position before(long millis) {
    return new Position(millis, new byte[0]);
  }

  /** Returns the later of this position and the position before all messages with this time. */
  Position from(long otherMillis) {
    return millis >= otherMillis ? this : before(otherMillis);
  }

  /**
   * Returns the earlier of this position and the position after all messages with this time, for
   * reading in the opposite order.
   */
  Position upTo(long otherMillis) {
    return millis <= otherMillis || otherMillis == Long.MAX_VALUE ? this : before(otherMillis + 1);
  }

  /** Compares ids as the databases do, by their bytes without signs. */
  @Override
  public int compareTo(Position other) {
    int byTime = Long.compare(millis, other.millis);
    return byTime == 0 ? Arrays.compareUnsigned(id, other.id) : byTime;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Position position && compareTo(position) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(millis) + Arrays.hashCode(id);
  }
}
