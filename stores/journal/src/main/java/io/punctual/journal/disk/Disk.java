package io.punctual.journal.disk;

import java.io.IOException;
import java.util.List;

/**
 * The journal's folder, and all that the journal does to it: files by name, without subfolders. A
 * seam, so that tests can lose power, fill up or break below the whole store.
 *
 * <p>What {@link #create}, {@link #rename} and {@link #delete} did is safe from a loss of power
 * only after {@link #force}. Implementations are safe for use by many threads.
 */
public interface Disk {
  /** Returns how messages name the folder. */
  String describe();

  /** Returns the names of the files that are there. */
  List<String> list() throws IOException;

  /** Creates a file, empty; one that is there with this name is emptied. */
  DiskFile create(String name) throws IOException;

  /** Opens a file that is there, to read it. */
  DiskFile open(String name) throws IOException;

  /** Gives a file another name, in place of a file that has that name, in one step. */
  void rename(String from, String to) throws IOException;

  /** Deletes a file, if it is there. */
  void delete(String name) throws IOException;

  /** Forces what was created, renamed and deleted. */
  void force() throws ForceFailedException;

  /** Returns how many bytes there is room for. */
  long usableBytes() throws IOException;
}
