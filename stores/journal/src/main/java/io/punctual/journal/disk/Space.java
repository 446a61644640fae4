package io.punctual.journal.disk;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Watches the room on the disk. Below a mark, schedules are refused, so that the calls that make
 * room later (claims, settlements, cancels) can continue. Safe for use by many threads.
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

  private volatile boolean low;
  private volatile long checkedNanos;

  /** Bytes since the writer last looked. */
  private long unchecked;

  public Space(Disk disk, long minFreeBytes) throws IOException {
    this.disk = disk;
    this.minFreeBytes = minFreeBytes;
    check();
  }

  /** Whether there is too little room for more messages; looks again now and then. */
  public boolean isLow() {
    if (System.nanoTime() - checkedNanos > CHECK_NANOS) {
      look();
    }
    return low;
  }

  /** How much room schedules leave for the other calls. */
  public long minFreeBytes() {
    return minFreeBytes;
  }

  /** So many bytes were written; called by the writer alone. */
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
      // Schedules are not refused for a reason that may be wrong: if there is no room, or the whole
      // folder is gone, the write itself says so.
      low = false;
      checkedNanos = System.nanoTime();
    }
  }

  /**
   * Returns whether a write failed because the disk is full. Some systems translate the text of the
   * failure, so a disk without room for this write counts too.
   */
  public boolean isOut(IOException failure, long bytes) {
    return saysOut(failure) || !hasRoomFor(bytes);
  }

  private boolean hasRoomFor(long bytes) {
    try {
      return disk.usableBytes() >= bytes;
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Whether a failure says that the disk, or a quota on it, is full. The text decides, because the
   * room that the file system reports may have changed meanwhile, and does not include quotas.
   */
  static boolean saysOut(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    return OUT.stream().anyMatch(message::contains);
  }

  /**
   * Returns how many bytes a compaction or a hint may write. The new file leaves the room free that
   * {@code minFreeBytes} reserves, or most of the rest if the disk has less.
   */
  public long spareBytes() throws IOException {
    long usable = disk.usableBytes();
    return Math.max(usable - minFreeBytes, usable / 16);
  }

  private void check() throws IOException {
    low = disk.usableBytes() < minFreeBytes;
    checkedNanos = System.nanoTime();
  }
}
