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
   * @param skipped if the row is not meant to be imported, the name of the count in the report that
   *     includes it; otherwise null
   * @param version a value that changes when a scheduler runs or reschedules the row
   */
  record Candidate(ImportEntry entry, @Nullable String skipped, long version) {}

  /** The states of a row that an import holds. */
  enum Hold {
    /** Taken, and not yet marked. */
    STAGED,
    /** Marked: the queue has its message. */
    MARKED,
    /** Reserved for an abort. */
    ABORT
  }

  /** Prepares a run or an abort, which calls this method first. */
  default void prepare() {}

  /**
   * Reads rows that no program runs, in the order of their keys.
   *
   * @param after the key after which the rows begin, or empty to begin with the first
   */
  List<Candidate> waiting(byte[] after, int max);

  /**
   * Takes rows from the old library, except rows that changed since they were read. Returns the
   * taken rows.
   */
  List<Candidate> take(List<Candidate> candidates);

  /** Reads the rows in a state, in the order of their keys. */
  List<ImportEntry> held(Hold hold, long offset, int max);

  /** Marks staged rows; returns the rows that no other program has changed or deleted. */
  List<ImportEntry> mark(List<ImportEntry> entries);

  List<ImportEntry> stillMarked(List<ImportEntry> entries);

  /** Deletes marked rows. */
  void remove(List<ImportEntry> entries);

  /** Gives rows in a state back to the old library, and returns these rows. */
  List<ImportEntry> giveBack(List<ImportEntry> entries, Hold hold);

  /**
   * Reserves all staged rows for an abort, in one statement. The import that took them can't mark
   * them any more, so it can be undone.
   */
  void beginAbort();

  /** Returns the number of rows in a state. */
  long count(Hold hold);

  /** Returns the number of rows that an import has taken for a different target. */
  long countForeign();

  /** Returns the number of rows that any import has taken or marked. */
  long countStaged();

  /** Returns counts about rows that are not imported, for the report. */
  Map<String, Long> others();
}
