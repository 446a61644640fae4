package io.punctual.benchmarks.locks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counters in a shared file, one for each lock, without atomic operations: if two threads hold the
 * same lock at the same time, they can lose an increment. Safe for use by holders of the lock.
 */
final class Guarded {
  private final LongBuffer counters;

  private Guarded(LongBuffer counters) {
    this.counters = counters;
  }

  /** Creates a file with {@code counters} counters, all zero. */
  static Path create(int counters) throws IOException {
    return Files.write(
        Files.createTempFile("punctual-bench-", ".counters"), new byte[counters * Long.BYTES]);
  }

  /** Opens an existing file, which other processes may have open too. */
  static Guarded open(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
      return new Guarded(mapped.order(ByteOrder.nativeOrder()).asLongBuffer());
    }
  }

  /**
   * Increments the counter, and yields between the read and the write, so that a violation of the
   * lock is more likely to be seen.
   */
  @SuppressWarnings("ThreadPriorityCheck")
  void increment(int counter) {
    long before = counters.get(counter);
    Thread.yield();
    counters.put(counter, before + 1);
  }

  /** The sum of all counters. */
  long sum() {
    long sum = 0;
    for (int i = 0; i < counters.capacity(); i++) {
      sum += counters.get(i);
    }
    return sum;
  }
}
