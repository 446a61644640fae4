package io.punctual.journal.log;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.format.NewerVersionException;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/**
 * Reads a file of {@link AttemptLog} that an earlier run left behind, up to the first damaged
 * batch.
 */
public final class AttemptLogReader {
  private static final Logger log = Logs.of(AttemptLogReader.class);
  private static final int PORTION = 4096;

  private final String name;
  private final FileWindow window;
  private long at;

  public AttemptLogReader(DiskFile file, String name) throws IOException {
    this.name = name;
    window = new FileWindow(file, name);
  }

  /**
   * Returns the next portion of attempts, in the order in which they were written; an empty list at
   * the end.
   */
  public List<AttemptLog.Attempt> next() throws IOException {
    List<AttemptLog.Attempt> portion = new ArrayList<>();
    try {
      while (portion.size() < PORTION && readBatch(portion)) {}
    } catch (JournalDamagedException e) {
      // The attempts in the unreadable rest are not counted, the same as if the file had been cut
      // off.
      log.warn("The rest of the attempts in {} is not counted: {}", name, e.getMessage());
      at = window.size();
    }
    return portion;
  }

  private boolean readBatch(List<AttemptLog.Attempt> into) throws IOException {
    ByteBuffer head = window.at(at, AttemptLog.HEADER);
    if (head.remaining() < AttemptLog.HEADER || head.getInt(0) != AttemptLog.MAGIC) {
      return false;
    }
    int version = head.getInt(4);
    int length = head.getInt(8);
    int checksum = head.getInt(12);
    if (length < 0 || length > window.size() - at - AttemptLog.HEADER) {
      return false;
    }
    ByteBuffer batch = window.at(at, AttemptLog.HEADER + length);
    if (AttemptLog.checksum(batch) != checksum) {
      return false;
    }
    if (version != AttemptLog.VERSION) {
      throw new NewerVersionException(
          name, Integer.toString(version), Integer.toString(AttemptLog.VERSION));
    }
    ByteBuffer entries = batch.position(AttemptLog.HEADER);
    while (entries.remaining() >= AttemptLog.ENTRY) {
      into.add(
          new AttemptLog.Attempt(
              entries.getInt(),
              entries.getLong(),
              entries.getInt(),
              entries.getLong(),
              entries.getInt()));
    }
    at += AttemptLog.HEADER + length;
    return true;
  }
}
