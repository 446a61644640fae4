package io.punctual.journal;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.log.Attempts;
import io.punctual.journal.log.AttemptsReader;
import io.punctual.journal.partition.Journal;
import java.io.IOException;
import java.util.List;

/**
 * The files in which earlier runs of the process counted the attempts of messages. A run deletes
 * its file once it has ended all its leases.
 */
record EarlierAttempts(Disk disk, List<String> files) {
  /**
   * Finds the files of earlier runs in a folder.
   *
   * @param current the name of this run's file
   */
  static EarlierAttempts in(Disk disk, String current) throws IOException {
    return new EarlierAttempts(
        disk,
        disk.list().stream()
            .filter(name -> FileNames.isAttempts(name) && !name.equals(current))
            .toList());
  }

  /** Appends the attempts in the files to the journal, in portions, and waits for each portion. */
  void moveInto(Journal journal) throws IOException {
    for (String name : files) {
      try (DiskFile file = disk.open(name)) {
        AttemptsReader reader = new AttemptsReader(file, name);
        List<Attempts.Attempt> portion = reader.next();
        while (!portion.isEmpty()) {
          List<Attempts.Attempt> next = portion;
          OpenJournal.opened(journal.look(() -> journal.partitions().recount(next)));
          portion = reader.next();
        }
      }
    }
  }
}
