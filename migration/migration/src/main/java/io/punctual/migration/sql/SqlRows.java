package io.punctual.migration.sql;

import io.punctual.migration.internal.ImportEntry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of an old library, as the source of an import needs them. Not thread-safe. */
interface SqlRows {
  /**
   * A row that may be imported.
   *
   * @param entry the entry; its token is the row's key
   * @param skipped the count of the report to which the row belongs if it is not meant to be
   *     imported, or null
   * @param version a value that changes when another program changes the row
   */
  record Candidate(ImportEntry entry, @Nullable String skipped, long version) {}

  /**
   * Reads rows that no program runs, in the order of their keys.
   *
   * @param after the key after which the rows begin, or empty to begin with the first
   */
  List<Candidate> waiting(byte[] after, int max);

  /** Takes rows from the old library; returns the rows that are still as they were read. */
  List<Candidate> take(List<Candidate> candidates);

  /** Reads taken rows, in the order of their keys. */
  List<ImportEntry> taken(long offset, int max);

  /** Reads the first marked rows. */
  List<ImportEntry> marked(int max);

  /**
   * Marks taken rows.
   *
   * @throws io.punctual.PunctualException if another program has changed a row
   */
  void mark(List<ImportEntry> entries);

  /** Deletes marked rows. */
  void remove(List<ImportEntry> entries);

  /** Gives taken rows back to the old library. */
  void giveBack(List<ImportEntry> entries);

  /** Returns the number of taken and marked rows. */
  long staged();

  /** Returns counts about rows that are not imported, for the report. */
  Map<String, Long> others();
}
