package io.punctual.migration.internal;

import io.punctual.migration.ImportProblem;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The counts of an import while it runs. Not safe for use by many threads. */
public final class ImportTally {
  private static final int MOST_PROBLEMS = 100;

  private final long startNanos = System.nanoTime();
  private final boolean dryRun;
  private final Map<String, Long> details = new LinkedHashMap<>();
  private final List<ImportProblem> problems = new ArrayList<>();
  private final Set<String> left = new HashSet<>();
  private long found;
  private long scheduled;
  private long present;
  private long earliest = Long.MAX_VALUE;
  private long latest = Long.MIN_VALUE;

  /** Creates a tally in which all counts are zero. */
  public ImportTally(boolean dryRun) {
    this.dryRun = dryRun;
  }

  /** Counts an entry that the run has read. */
  public void found(ImportEntry entry) {
    found++;
    due(entry.dueMillis());
  }

  /** Updates the earliest and the latest due time. */
  public void due(long dueMillis) {
    earliest = Math.min(earliest, dueMillis);
    latest = Math.max(latest, dueMillis);
  }

  /** Counts messages that the run has stored. */
  public void scheduled(long count) {
    scheduled += count;
  }

  /** Counts an entry whose message was in the queue already. */
  public void present() {
    present++;
  }

  /** Counts an entry that cannot be imported. A second call for the same entry has no effect. */
  public void left(String entry, String reason) {
    if (left.add(entry) && problems.size() < MOST_PROBLEMS) {
      problems.add(new ImportProblem(entry, reason));
    }
  }

  /**
   * Counts an entry that the run has read and cannot import. A second call for the same name has no
   * effect.
   */
  public void foundLeft(ImportEntry entry, String name, String reason) {
    long before = left();
    left(name, reason);
    if (left() > before) {
      found(entry);
    }
  }

  /** Returns the number of entries that cannot be imported. */
  public long left() {
    return left.size();
  }

  public void detail(String name, long count) {
    details.put(name, count);
  }

  public void addDetail(String name, long count) {
    details.merge(name, count, Long::sum);
  }

  /** Returns the counts so far. */
  public ImportReport report(boolean complete) {
    return new ImportReport(
        found,
        scheduled,
        present,
        left.size(),
        instant(earliest, Long.MAX_VALUE),
        instant(latest, Long.MIN_VALUE),
        Collections.unmodifiableMap(new LinkedHashMap<>(details)),
        problems,
        Duration.ofNanos(System.nanoTime() - startNanos),
        dryRun,
        complete);
  }

  private static Optional<Instant> instant(long millis, long none) {
    return millis == none ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
  }
}
