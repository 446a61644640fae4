package io.punctual.journal.disk;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Watches the free space on the disk. Below a minimum the store refuses schedules, so that the
 * calls that free space later (claims, settlements, cancels) can continue. Safe for use by many
 * threads.
 */
public final class Space {
  private static final List<String> OUT =
      List.of(
          "No space left on device",
          "Disk quota exceeded",
          "There is not enough space on the disk");

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Disk disk;
  private final long minFreeBytes;

  /** Why the writer waits; empty if it does not wait. */
  private volatile String obstacle = "";

  private volatile boolean low;
  private volatile long checkedNanos;

  /**
   * The number of bytes written since {@link #wrote} last asked the disk for its free space. Only
   * the writer uses this field.
   */
  private long unchecked;

  public Space(Disk disk, long minFreeBytes) throws IOException {
    this.disk = disk;
    this.minFreeBytes = minFreeBytes;
    check();
  }

  /**
   * Whether the free space is too small for more messages. Asks the disk if the last answer is
   * older than 100 ms.
   */
  public boolean isLow() {
    if (System.nanoTime() - checkedNanos > CHECK_NANOS) {
      look();
    }
    return low;
  }

  /**
   * Why the writer waits until it can write again, for example because the process has too many
   * open files; empty if it does not wait. The store refuses schedules meanwhile.
   */
  public String obstacle() {
    return obstacle;
  }

  /** Sets why the writer waits; empty if it does not wait. Called only by the writer. */
  public void obstacle(String why) {
    obstacle = why;
  }

  /** The free space in bytes that is reserved for calls other than schedules. */
  public long minFreeBytes() {
    return minFreeBytes;
  }

  /**
   * Counts written bytes, and asks the disk for its free space whenever an eighth of the minimum
   * was written. Called only by the writer.
   */
  public void wrote(long bytes) {
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
      // Without an answer, schedules are accepted. If the disk is full or the folder was deleted,
      // the write fails and reports the cause.
      low = false;
      checkedNanos = System.nanoTime();
    }
  }

  /**
   * Whether the text of a failure says that the disk, or a quota on it, is full. Only for advice:
   * the text may be in a different language.
   */
  static boolean saysOut(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    return OUT.stream().anyMatch(message::contains);
  }

  /**
   * Returns how many bytes a compaction, or the writing of a hint file, may use: the free space
   * less {@code minFreeBytes}, but at least a sixteenth of the free space, and at most the maximum
   * size of a file.
   */
  public long spareBytes() throws IOException {
    long usable = disk.usableBytes();
    long spare = Math.max(usable - minFreeBytes, usable / 16);
    return Math.min(spare, disk.mostFileBytes());
  }

  /** Returns the free space less {@code minFreeBytes}; negative if the free space is less. */
  public long roomBytes() throws IOException {
    return disk.usableBytes() - minFreeBytes;
  }

  private void check() throws IOException {
    low = disk.usableBytes() < minFreeBytes;
    checkedNanos = System.nanoTime();
  }
}
