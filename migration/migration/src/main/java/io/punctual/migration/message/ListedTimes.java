package io.punctual.migration.message;

import io.punctual.spi.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The due times that the pages of scheduled messages have covered. A reader uses them to recognise
 * a message that it has already passed. While a store is read, scheduled messages become ready, and
 * are listed a second time with the ready messages. A page covers all messages that are due between
 * its first and its last due time. Of the messages that are due exactly at the first or at the last
 * due time, the page covers only the messages that it lists. For one thread.
 */
final class ListedTimes {
  /**
   * The maximum number of ids that this object keeps. With more ids, a message may be counted
   * twice; the verification then compares message by message.
   */
  private static final int MAX_IDS = 200_000;

  private final List<long[]> pages = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  void add(List<Entry> page) {
    if (page.isEmpty()) {
      return;
    }
    long first = page.get(0).dueMillis();
    long last = page.get(page.size() - 1).dueMillis();
    pages.add(new long[] {first, last});
    for (Entry entry : page) {
      boolean isAtEnd = entry.dueMillis() == first || entry.dueMillis() == last;
      if (isAtEnd && ids.size() < MAX_IDS) {
        ids.add(entry.id());
      }
    }
  }

  /** Returns whether a page has covered this message. */
  boolean covers(Entry entry) {
    long due = entry.dueMillis();
    int low = 0;
    int high = pages.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long[] page = pages.get(middle);
      if (due < page[0]) {
        high = middle - 1;
      } else if (due > page[1]) {
        low = middle + 1;
      } else {
        return (due > page[0] && due < page[1]) || ids.contains(entry.id());
      }
    }
    return false;
  }
}
