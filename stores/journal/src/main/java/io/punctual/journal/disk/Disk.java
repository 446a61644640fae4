package io.punctual.journal.disk;

import java.io.IOException;
import java.util.List;

/**
 * The journal's folder, with the operations of the journal on its files. A name is the name of a
 * file directly in the folder. Tests implement this interface to simulate a loss of power, a full
 * disk or a broken disk under the whole store.
 *
 * <p>The effects of {@link #create}, {@link #rename} and {@link #delete} are safe from a loss of
 * power only after {@link #force}. Implementations are safe for use by many threads.
 */
public interface Disk {
  /** Returns the folder's name for logs and exceptions. */
  String describe();

  /** Returns the names of all files in the folder. */
  List<String> list() throws IOException;

  /** Creates an empty file; an existing file of this name is emptied. */
  DiskFile create(String name) throws IOException;

  /** Opens an existing file to read it. */
  DiskFile open(String name) throws IOException;

  /** Renames a file atomically; replaces an existing file of the new name. */
  void rename(String from, String to) throws IOException;

  /** Deletes a file, if it exists. */
  void delete(String name) throws IOException;

  /** Forces all creations, renames and deletions, so that they survive a loss of power. */
  void force() throws ForceFailedException;

  /** Returns the free space in bytes. */
  long usableBytes() throws IOException;

  /** Returns the size of the whole disk in bytes, {@link Long#MAX_VALUE} if it is unknown. */
  default long totalBytes() {
    return Long.MAX_VALUE;
  }

  /** Returns the maximum size of a file in bytes, {@link Long#MAX_VALUE} if there is none. */
  default long mostFileBytes() {
    return Long.MAX_VALUE;
  }
}
