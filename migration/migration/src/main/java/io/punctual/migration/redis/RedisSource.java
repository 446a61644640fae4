package io.punctual.migration.redis;

import io.punctual.PunctualException;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.StagedSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads the entries of an old queue from its keys in Redis, which are its {@link EntryPlace}s. An
 * entry that can't or should not be imported stays in its key, and each later pass through the key
 * skips it. Not thread-safe.
 */
final class RedisSource extends StagedSource {
  /**
   * After this number of attempts that staged no entry of a page, the run skips the page until the
   * next pass.
   */
  private static final int ATTEMPTS = 10;

  private final List<EntryPlace> places;
  private final EntryReader reader;
  private final DueTimes dues;
  private final ImportContext context;
  private final Supplier<Map<String, Long>> others;
  private final List<Cursor> cursors = new ArrayList<>();
  private final Set<String> refused = new HashSet<>();

  /** A pass through the entries of an {@link EntryPlace}. */
  private static final class Cursor {
    private long kept;
    private boolean moved;
    private int fruitless;
    private final Map<String, Long> skipped = new LinkedHashMap<>();

    void restart() {
      kept = 0;
      moved = false;
      fruitless = 0;
      skipped.clear();
    }
  }

  RedisSource(
      RedisStaging staging,
      List<EntryPlace> places,
      EntryReader reader,
      DueTimes dues,
      ImportContext context,
      Supplier<Map<String, Long>> others) {
    super(staging);
    this.places = List.copyOf(places);
    this.reader = reader;
    this.dues = dues;
    this.context = context;
    this.others = others;
    places.forEach(place -> cursors.add(new Cursor()));
  }

  @Override
  public List<ImportEntry> stage(int max) {
    for (int i = 0; i < places.size(); i++) {
      List<ImportEntry> staged = stage(places.get(i), cursors.get(i), max);
      if (!staged.isEmpty()) {
        return staged;
      }
    }
    cursors.forEach(Cursor::restart);
    return List.of();
  }

  private List<ImportEntry> stage(EntryPlace place, Cursor cursor, int max) {
    while (!context.mustStop()) {
      // The next scripts don't renew the lease if no entry can be staged.
      staging().renew();
      List<RedisEntry> page = place.survey(cursor.kept, max);
      if (page.isEmpty()) {
        if (!cursor.moved) {
          return List.of();
        }
        // If a program removes earlier entries during this pass, later entries move forward, so the
        // pass may have skipped some of them.
        cursor.restart();
      } else {
        List<ImportEntry> staged = stagePage(place, cursor, page);
        if (!staged.isEmpty()) {
          return staged;
        }
      }
    }
    return List.of();
  }

  private List<ImportEntry> stagePage(EntryPlace place, Cursor cursor, List<RedisEntry> page) {
    List<RedisEntry> taken = new ArrayList<>();
    List<Long> takenDues = new ArrayList<>();
    List<Reading> readings = reader.read(page);
    for (int i = 0; i < page.size(); i++) {
      ImportEntry entry = dues.entry(new byte[0], page.get(i), readings.get(i), dues.now());
      String problem = readings.get(i).skipped() == null ? context.check().problem(entry) : null;
      if (readings.get(i).skipped() != null) {
        cursor.skipped.merge(String.valueOf(readings.get(i).skipped()), 1L, Long::sum);
        cursor.kept++;
      } else if (problem != null) {
        context.tally().foundLeft(entry, entry.id(), problem);
        cursor.kept++;
      } else if (refused.contains(entry.id())) {
        cursor.kept++;
      } else {
        taken.add(page.get(i));
        takenDues.add(entry.dueMillis());
      }
    }
    cursor.skipped.forEach(context.tally()::detail);
    if (taken.isEmpty()) {
      return List.of();
    }
    boolean movedBefore = cursor.moved;
    // If the staging throws an exception, the flag stays set, so that a further pass reads the
    // entries.
    cursor.moved = true;
    List<ImportEntry> staged = entries(place.stage(taken, takenDues));
    cursor.moved = movedBefore || !staged.isEmpty();
    cursor.fruitless = staged.isEmpty() ? cursor.fruitless + 1 : 0;
    if (cursor.fruitless >= ATTEMPTS) {
      cursor.kept += taken.size();
      cursor.fruitless = 0;
    }
    return staged;
  }

  @Override
  protected List<ImportEntry> entries(List<RedisStaging.Scored> scored) {
    List<RedisEntry> parsed =
        scored.stream().map(staged -> RedisEntry.parse(staged.entry())).toList();
    List<Reading> readings = reader.read(parsed);
    List<ImportEntry> entries = new ArrayList<>();
    for (int i = 0; i < parsed.size(); i++) {
      RedisStaging.Scored staged = scored.get(i);
      entries.add(dues.entry(staged.entry(), parsed.get(i), readings.get(i), staged.dueMillis()));
    }
    return entries;
  }

  /**
   * Gives the entries back, except elements of a list whose ids are generated at each staging.
   * These stay in the staging, because a second staging would give them new ids.
   */
  @Override
  public List<ImportEntry> giveBack(List<ImportEntry> entries) {
    List<ImportEntry> stable = entries.stream().filter(RedisSource::hasStableId).toList();
    if (!stable.isEmpty()) {
      stable.forEach(entry -> refused.add(entry.id()));
      int unused = putBack(stable);
    }
    return stable;
  }

  private static boolean hasStableId(ImportEntry entry) {
    RedisEntry staged = RedisEntry.parse(entry.token());
    return staged.isSorted() || staged.label().isEmpty();
  }

  /** Puts staged entries back to the places from which they came. */
  @Override
  public int putBack(List<ImportEntry> entries) {
    int put = 0;
    for (EntryPlace place : places) {
      List<byte[]> tokens =
          tokens(entries).stream()
              .filter(token -> place.has(RedisEntry.parse(token).kind()))
              .toList();
      if (!tokens.isEmpty()) {
        place.putBack(tokens);
        put += tokens.size();
      }
    }
    if (put < entries.size()) {
      throw new PunctualException(
          "The staging has elements of a list that this import does not name; name it, as the"
              + " unfinished run did");
    }
    return put;
  }

  @Override
  public Map<String, Long> others() {
    return others.get();
  }

  /**
   * Always returns false, because a program may add entries at any time, and Redis does not show
   * whether it still runs.
   */
  @Override
  public boolean isFinished() {
    return false;
  }
}
