package io.punctual.journal;

import io.punctual.PunctualException;
import io.punctual.internal.log.Logs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * Whether an open creates a new journal, which must not happen in silence: the folder may be on a
 * disk that is not mounted.
 */
enum NewJournal {
  /** The folder has a journal. */
  NONE,

  /** The folder has no journal. */
  CREATED,

  /**
   * The folder has no journal. It is empty, or will be created in an empty folder, as is the folder
   * at which a disk is mounted while the disk is not mounted.
   */
  CREATED_IN_EMPTY_FOLDER;

  private static final Logger log = Logs.of(NewJournal.class);

  /** A folder of the file system itself, which an empty disk has too. */
  private static final String LOST_AND_FOUND = "lost+found";

  /**
   * Looks at a folder before it is opened.
   *
   * @param create whether a new journal may be created
   * @throws PunctualException if there is no journal, and none may be created
   */
  static NewJournal of(Path folder, boolean create) {
    try {
      JournalTool.requireJournal(folder);
      return NONE;
    } catch (PunctualException e) {
      if (!create) {
        throw new PunctualException(
            e.getMessage()
                + ", and with create=false none is created. If the folder is on a disk of its own,"
                + " check that the disk is mounted",
            e);
      }
      return isInEmptyFolder(folder) ? CREATED_IN_EMPTY_FOLDER : CREATED;
    }
  }

  /** Whether the folder, or the closest folder above it that exists, is empty. */
  private static boolean isInEmptyFolder(Path folder) {
    Path there = folder.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null || !Files.isDirectory(there)) {
      return false;
    }
    try (Stream<Path> files = Files.list(there)) {
      return files.allMatch(file -> file.endsWith(LOST_AND_FOUND));
    } catch (IOException e) {
      // The folder may not be readable.
      return false;
    }
  }

  /** Logs that the folder has a new journal, if it has. */
  void log(Path folder) {
    switch (this) {
      case NONE -> {}
      case CREATED -> log.info("Created a new, empty journal in {}", folder);
      case CREATED_IN_EMPTY_FOLDER ->
          log.warn(
              "Created a new, empty journal in {}, which was empty or in an empty folder. If there"
                  + " should have been messages, its disk may not be mounted; with create=false no"
                  + " journal is created then",
              folder);
    }
  }
}
