package io.punctual.journal.log;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.ManifestFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The file of attempts, which counts how often each message was claimed. The attempts of a claim
 * are written before its reply, so that an attempt that kills the process counts. The file is never
 * forced, so that no claim waits for the disk. The attempts belong to a single run of the process.
 * A clean close, or otherwise the next start, records them in the journal and deletes the file. For
 * the journal's thread alone.
 */
public final class AttemptLog {
  private static final Logger log = Logs.of(AttemptLog.class);
  static final int MAGIC = 0x504A_4154;
  static final int VERSION = 1;
  static final int HEADER = 16;
  static final int ENTRY = 28;

  private final Disk disk;
  private final ManifestFile manifest;
  private final long rotateBytes;
  private long rotateAt;
  private String name = "";
  private @Nullable DiskFile file;
  private long length;
  private ByteBuffer batch = ByteBuffer.allocate(HEADER + 64 * ENTRY).position(HEADER);

  public record Attempt(int queue, long sequence, int hash, long token, int attempt) {}

  public AttemptLog(Disk disk, ManifestFile manifest, long rotateBytes) {
    this.disk = disk;
    this.manifest = manifest;
    this.rotateBytes = rotateBytes;
    rotateAt = rotateBytes;
  }

  /** Creates the file. Called once, before all other methods. */
  public void begin() throws IOException {
    name = newName();
    file = disk.create(name);
  }

  private DiskFile file() {
    DiskFile begun = file;
    if (begun == null) {
      throw new IllegalStateException("There is no file of attempts yet");
    }
    return begun;
  }

  /**
   * Returns a name that no file has. Files of an earlier run must not be overwritten, because they
   * have not been read yet.
   */
  private String newName() throws IOException {
    String made = FileNames.attempts(manifest.newFile());
    while (disk.list().contains(made)) {
      made = FileNames.attempts(manifest.newFile());
    }
    return made;
  }

  public String name() {
    return name;
  }

  public void add(int queue, long sequence, int hash, long token, int attempt) {
    if (batch.remaining() < ENTRY) {
      ByteBuffer larger = ByteBuffer.allocate(batch.capacity() * 2);
      batch = larger.put(batch.flip());
    }
    batch.putInt(queue).putLong(sequence).putInt(hash).putLong(token).putInt(attempt);
  }

  /** Drops the attempts that were added since the last {@link #write}. */
  public void clear() {
    batch.clear().position(HEADER);
  }

  public void write() throws IOException {
    ByteBuffer bytes = batch.duplicate().flip();
    if (bytes.limit() == HEADER) {
      return;
    }
    bytes.putInt(0, MAGIC).putInt(4, VERSION).putInt(8, bytes.limit() - HEADER);
    bytes.putInt(12, checksum(bytes));
    int written = bytes.limit();
    try {
      file().write(bytes, length);
      length += written;
    } finally {
      clear();
    }
  }

  /**
   * Whether the file is so large that most of it may be about ended leases. After a failed {@link
   * #rotate}, the file must first grow by an eighth of the initial limit.
   */
  public boolean isLarge() {
    return length > rotateAt;
  }

  /**
   * Begins a new file, which starts with the attempts that {@code leases} adds: the attempts of the
   * current leases.
   *
   * @return the name of the old file, for {@link #drop}; the caller drops the file when the journal
   *     has the attempts of the ended leases
   * @throws IOException if the new file can't be created or written; the old file then stays in use
   */
  public String rotate(Runnable leases) throws IOException {
    DiskFile oldFile = file();
    String oldName = name;
    long oldLength = length;
    // Without this limit, each claim on a full disk would create a file.
    rotateAt = oldLength + rotateBytes / 8;
    String newName = newName();
    DiskFile newFile = disk.create(newName);
    file = newFile;
    name = newName;
    length = 0;
    boolean complete = false;
    try {
      leases.run();
      write();
      complete = true;
    } finally {
      if (!complete) {
        clear();
        file = oldFile;
        name = oldName;
        length = oldLength;
        close(newFile, newName);
        drop(newName);
      }
    }
    rotateAt = Math.max(rotateBytes, 2 * length);
    close(oldFile, oldName);
    return oldName;
  }

  private static void close(DiskFile file, String name) {
    try {
      file.close();
    } catch (IOException e) {
      log.warn("{} could not be closed", name, e);
    }
  }

  /** Deletes a file that is not in use any more. */
  public void drop(String unused) {
    try {
      disk.delete(unused);
    } catch (IOException e) {
      log.warn("{} could not be deleted; the next start will", unused, e);
    }
  }

  /** Closes and deletes the file. The journal must have all its attempts. */
  public void delete() throws IOException {
    file().close();
    disk.delete(name);
  }

  /** Closes the file, if there is one. */
  public void close() {
    DiskFile begun = file;
    if (begun != null) {
      close(begun, name);
    }
  }

  /** Returns the checksum of a batch, which covers its version, its length and its entries. */
  static int checksum(ByteBuffer batch) {
    CRC32C crc = new CRC32C();
    crc.update(batch.slice(4, 8));
    crc.update(batch.slice(HEADER, batch.limit() - HEADER));
    return (int) crc.getValue();
  }
}
