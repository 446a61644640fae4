package io.punctual.journal.log;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.format.ManifestFile;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Creates the files that the beginning of the next segment needs, ahead of its first frame: the
 * segment's own file with its header, and a file for the manifest that will name the segment. For
 * the writer's thread alone, except {@link #ask}.
 */
final class NextSegment {
  private static final Logger log = Logs.of(NextSegment.class);

  private final Disk disk;
  private final ManifestFile manifest;

  /** The segment that was asked for and has no file yet; null if there is none. */
  private final AtomicReference<@Nullable Segment> asked = new AtomicReference<>();

  /** The segment that has its file, but is not begun; null if there is none. */
  private @Nullable Segment created;

  NextSegment(Disk disk, ManifestFile manifest) {
    this.disk = disk;
    this.manifest = manifest;
  }

  void ask(Segment segment) {
    asked.set(segment);
  }

  /** Whether the segment that was asked for has no file yet. */
  boolean isMissing() {
    return asked.get() != null;
  }

  /** Creates the files of the segment that was asked for, if they are missing. */
  void create() throws IOException {
    Segment segment = asked.get();
    if (segment != null) {
      create(segment);
    }
  }

  /** Creates the files of a segment, unless it has them. */
  void create(Segment segment) throws IOException {
    if (segment.isOpened()) {
      return;
    }
    DiskFile file = disk.create(segment.name());
    try {
      file.write(segment.header().encode(), 0);
      file.force();
      disk.force();
      manifest.reserve();
    } catch (Throwable e) {
      try (file) {
        throw e;
      }
    }
    // Meanwhile the log may have filled this segment, and asked for the one after it.
    asked.compareAndSet(segment, null);
    created = segment;
    segment.opened(file);
  }

  /** Notes that the manifest names the segment. */
  void begun() {
    created = null;
  }

  /**
   * Closes and deletes the files of a segment that is not begun. The next start would do it too.
   */
  void delete() {
    Segment unused = created;
    close();
    if (unused != null) {
      try {
        disk.delete(unused.name());
        manifest.deleteReserved();
      } catch (IOException e) {
        log.warn("{} could not be deleted; the next start will", unused.name(), e);
      }
    }
  }

  /** Closes the files of a segment that is not begun. */
  void close() {
    Segment unused = created;
    created = null;
    try {
      manifest.release();
      if (unused != null) {
        unused.opened().close();
      }
    } catch (IOException e) {
      log.warn("A file of the journal {} could not be closed", disk.describe(), e);
    }
  }
}
