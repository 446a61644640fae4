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
 * Plain counters in a file, one for each lock, which processes share: two who hold a lock at the
 * same time lose a count. Safe for use by those who hold the lock.
 */
final class Guarded {
  private final LongBuffer counters;

  private Guarded(LongBuffer counters) {
    this.counters = counters;
  }

  /** Makes a file of so many counters, all zero. */
  static Path create(int counters) throws IOException {
    return Files.write(
        Files.createTempFile("punctual-bench-", ".counters"), new byte[counters * Long.BYTES]);
  }

  /** Opens the counters that others have open as well. */
  static Guarded open(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
      return new Guarded(mapped.order(ByteOrder.nativeOrder()).asLongBuffer());
    }
  }

  /** Counts, and lets others run in between. */
  @SuppressWarnings("ThreadPriorityCheck") // only to make a mistake more likely to show
  void increment(int counter) {
    long before = counters.get(counter);
    Thread.yield();
    counters.put(counter, before + 1);
  }

  /** All that was counted. */
  long sum() {
    long sum = 0;
    for (int i = 0; i < counters.capacity(); i++) {
      sum += counters.get(i);
    }
    return sum;
  }
}
