package io.punctual.migration.copy;

import io.punctual.migration.message.MessageImage;
import java.nio.ByteBuffer;

/**
 * A checksum over messages that does not depend on their order: the number of messages, and the sum
 * of the first 16 bytes of their digests, as two numbers of 64 bits. Not thread-safe.
 */
final class Checksum {
  private long count;
  private long high;
  private long low;
  private long unreadable;

  void add(MessageImage message) {
    ByteBuffer digest = ByteBuffer.wrap(message.digest());
    count++;
    high += digest.getLong();
    low += digest.getLong();
  }

  /** Notes a message that can't be read, which the checksum leaves out. */
  void addUnreadable() {
    unreadable++;
  }

  /** Whether all messages could be read. */
  boolean isComplete() {
    return unreadable == 0;
  }

  long count() {
    return count;
  }

  boolean isEqual(Checksum other) {
    return count == other.count && high == other.high && low == other.low;
  }
}
