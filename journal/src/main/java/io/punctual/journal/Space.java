package io.punctual.journal;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Watches the room on the disk. Below a mark, schedules are refused, so that what makes room later
 * (claims, settlements, cancels) can go on. Safe for use by many threads.
 */
final class Space {
  /** What a file system takes for itself with a write. */
  private static final long SLACK = 64 << 10;

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Disk disk;
  private final long minFreeBytes;

  private volatile boolean low;
  private volatile long checkedNanos;

  /** Bytes since the writer last looked. */
  private long unchecked;

  Space(Disk disk, long minFreeBytes) throws IOException {
    this.disk = disk;
    this.minFreeBytes = minFreeBytes;
    check();
  }

  /** Whether there is too little room for more messages; looks again now and then. */
  boolean isLow() {
    if (System.nanoTime() - checkedNanos > CHECK_NANOS) {
      look();
    }
    return low;
  }

  /** How much room schedules leave to what has to go on. */
  long minFreeBytes() {
    return minFreeBytes;
  }

  /** So many bytes were written; called by the writer alone. */
  void wrote(long bytes) {
    unchecked += bytes;
    if (unchecked >= minFreeBytes / 8) {
      unchecked = 0;
      look();
    }
  }

  private void look() {
    try {
      check();
    } catch (IOException e) {
      low = true;
      checkedNanos = System.nanoTime();
    }
  }

  /** Whether there is no room for this many bytes. */
  boolean isOut(long bytes) throws IOException {
    check();
    return disk.usableBytes() <= bytes + SLACK;
  }

  private void check() throws IOException {
    low = disk.usableBytes() < minFreeBytes;
    checkedNanos = System.nanoTime();
  }
}
