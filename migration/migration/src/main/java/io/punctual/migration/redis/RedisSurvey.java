package io.punctual.migration.redis;

import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.RunSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Counts the entries of an old queue, and changes nothing. Not thread-safe. */
final class RedisSurvey {
  private final EntryReader reader;
  private final DueTimes dues;
  private final ImportContext context;
  private final Set<String> ids = new HashSet<>();

  RedisSurvey(EntryReader reader, DueTimes dues, ImportContext context) {
    this.reader = reader;
    this.dues = dues;
    this.context = context;
  }

  /** Counts the entries of a place; returns false if the run was stopped. */
  boolean count(EntryPlace place) {
    RunSettings settings = context.settings();
    long read = 0;
    for (List<RedisEntry> page = place.survey(read, settings.batchSize());
        !page.isEmpty();
        page = place.survey(read, settings.batchSize())) {
      List<Reading> readings = reader.read(page);
      for (int i = 0; i < page.size(); i++) {
        count(page.get(i), readings.get(i));
      }
      read += page.size();
      settings.progress().accept(context.tally().report(false));
      if (context.isStopped()) {
        return false;
      }
    }
    return true;
  }

  private void count(RedisEntry entry, Reading reading) {
    ImportTally tally = context.tally();
    String skipped = reading.skipped();
    if (skipped != null) {
      tally.addDetail(skipped, 1);
      return;
    }
    ImportEntry read = dues.entry(new byte[0], entry, reading, dues.now());
    tally.found(read);
    String problem = context.check().problem(read);
    if (problem == null && entry.isSorted() && !ids.add(read.id())) {
      problem = "A second entry has its id";
    }
    if (problem != null) {
      tally.left(read.id(), problem);
    }
  }
}
