package io.punctual.journal.disk;

import java.io.IOException;
import java.util.List;

/**
 * The journal's folder, and all operations of the journal on it: files by name, without subfolders.
 * An interface, so that tests can lose power, fill the disk or break it below the whole store.
 *
 * <p>The effects of {@link #create}, {@link #rename} and {@link #delete} are safe from a loss of
 * power only after {@link #force}. Implementations are safe for use by many threads.
 */
public interface Disk {
  /** Returns how messages name the folder. */
  String describe();

  /** Returns the names of the files that are there. */
  List<String> list() throws IOException;

  /** Creates an empty file; an existing file of this name is emptied. */
  DiskFile create(String name) throws IOException;

  /** Opens a file that is there, to read it. */
  DiskFile open(String name) throws IOException;

  /** Renames a file in a single step; replaces an existing file of the new name. */
  void rename(String from, String to) throws IOException;

  /** Deletes a file, if it is there. */
  void delete(String name) throws IOException;

  /** Forces all creations, renamings and deletions. */
  void force() throws ForceFailedException;

  /** Returns how many bytes there is room for. */
  long usableBytes() throws IOException;
}
