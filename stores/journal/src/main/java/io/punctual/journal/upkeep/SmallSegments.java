package io.punctual.journal.upkeep;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.format.ManifestFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;

/**
 * Merges small segments at a start, if there are many. A process that soon ends, such as a command,
 * adds a segment and leaves the {@link Compactor} no time, so that the segments of many short runs
 * would add up.
 */
public final class SmallSegments {
  private static final Logger log = Logs.of(SmallSegments.class);

  /** The number of segments from which on a start merges them. */
  private static final int MANY = 32;

  /** The maximum size of a merged segment, and about the number of bytes that a start copies. */
  private static final long MOST_BYTES = 8 << 20;

  private SmallSegments() {}

  /**
   * Merges small segments, if there are many. A failure other than that of a force is logged only,
   * since the journal works with many segments too.
   *
   * @throws InterruptedIOException if the calling thread was interrupted, which closes the files
   *     that it uses
   */
  public static void merge(ManifestFile manifest, Function<Compaction.Pace, Compaction> compactions)
      throws ForceFailedException, InterruptedIOException {
    AtomicLong left = new AtomicLong(MOST_BYTES);
    Compaction compaction = compactions.apply(bytes -> left.addAndGet(-bytes));
    try {
      boolean found = true;
      while (found && left.get() > 0 && manifest.manifest().segments().size() >= MANY) {
        found = compaction.run(left.get());
      }
    } catch (ForceFailedException e) {
      throw e;
    } catch (IOException e) {
      log.warn("Small segments could not be merged, and will be later: {}", e.getMessage(), e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("This compaction has no pauses", e);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("the thread was interrupted");
    }
  }
}
