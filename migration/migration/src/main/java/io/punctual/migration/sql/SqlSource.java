package io.punctual.migration.sql;

import io.punctual.PunctualException;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.sql.SqlRows.Hold;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tables of an old library as the source of an import. A row that the check refuses, or that is
 * not meant to be imported, stays as it is. Not thread-safe.
 */
final class SqlSource implements ImportSource {
  private static final byte[] START = {};

  private final SqlRows rows;
  private final ImportContext context;
  private final Map<String, Long> skipped = new LinkedHashMap<>();
  private final Set<String> refused = new HashSet<>();

  /** The tokens of rows that stay, because a row before them in their page has the same id. */
  private final Set<String> seconds = new HashSet<>();

  private byte[] after = START;
  private boolean taken;

  SqlSource(SqlRows rows, ImportContext context) {
    this.rows = rows;
    this.context = context;
  }

  @Override
  public void beginRun() {
    if (rows.count(Hold.ABORT) > 0) {
      throw new PunctualException(
          "An abort of this import runs or has died; abort the import again before the next run",
          null);
    }
  }

  @Override
  public List<ImportEntry> stage(int max) {
    while (!context.mustStop()) {
      List<SqlRows.Candidate> page = rows.waiting(after, max);
      if (page.isEmpty()) {
        boolean again = taken;
        restart();
        if (!again) {
          return List.of();
        }
      } else {
        after = page.get(page.size() - 1).entry().token();
        boolean takenBefore = taken;
        // If the take fails, its rows are read in a further pass.
        taken = true;
        List<ImportEntry> entries =
            rows.take(importable(page)).stream().map(SqlRows.Candidate::entry).toList();
        if (!entries.isEmpty()) {
          return entries;
        }
        taken = takenBefore;
      }
    }
    return List.of();
  }

  private void restart() {
    after = START;
    taken = false;
    skipped.clear();
  }

  private List<SqlRows.Candidate> importable(List<SqlRows.Candidate> page) {
    ImportTally tally = context.tally();
    List<SqlRows.Candidate> importable = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (SqlRows.Candidate candidate : page) {
      ImportEntry entry = candidate.entry();
      String count = candidate.skipped();
      if (count != null) {
        skipped.merge(count, 1L, Long::sum);
      } else if (!refused.contains(entry.id()) && !seconds.contains(token(entry))) {
        String problem = context.check().problem(entry);
        if (problem != null) {
          tally.foundLeft(entry, entry.id(), problem);
        } else if (!ids.add(entry.id())) {
          seconds.add(token(entry));
          tally.foundLeft(entry, entry.id() + " (second)", "Two entries have this id");
        } else {
          importable.add(candidate);
        }
      }
    }
    skipped.forEach(tally::detail);
    return importable;
  }

  private static String token(ImportEntry entry) {
    return new String(entry.token(), StandardCharsets.ISO_8859_1);
  }

  @Override
  public List<ImportEntry> staged(long offset, int max) {
    return rows.held(Hold.STAGED, offset, max);
  }

  @Override
  public List<ImportEntry> marked(int max) {
    return rows.held(Hold.MARKED, 0, max);
  }

  @Override
  public List<ImportEntry> mark(List<ImportEntry> entries) {
    return rows.mark(entries);
  }

  /** Leaves out rows that a second importer with the same target has marked. */
  @Override
  public List<ImportEntry> gone(List<ImportEntry> entries) {
    Set<String> marked =
        rows.stillMarked(entries).stream().map(ImportEntry::id).collect(Collectors.toSet());
    return entries.stream().filter(entry -> !marked.contains(entry.id())).toList();
  }

  @Override
  public List<ImportEntry> giveBack(List<ImportEntry> entries) {
    entries.forEach(entry -> refused.add(entry.id()));
    return rows.giveBack(entries, Hold.STAGED);
  }

  @Override
  public long countStaged() {
    return rows.count(Hold.STAGED);
  }

  @Override
  public void remove(List<ImportEntry> entries) {
    rows.remove(entries);
  }

  /** Always returns false, because the old library may insert rows at any time. */
  @Override
  public boolean isFinished() {
    return false;
  }

  @Override
  public void beginAbort() {
    rows.beginAbort();
  }

  @Override
  public List<ImportEntry> aborting(int max) {
    return rows.held(Hold.ABORT, 0, max);
  }

  @Override
  public int putBack(List<ImportEntry> entries) {
    return rows.giveBack(entries, Hold.ABORT).size();
  }

  @Override
  public Map<String, Long> others() {
    return rows.others();
  }
}
