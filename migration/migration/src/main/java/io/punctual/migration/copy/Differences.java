package io.punctual.migration.copy;

import java.util.ArrayList;
import java.util.List;

/** Counts differences, and keeps the first of them. Not thread-safe. */
final class Differences {
  private final List<Difference> first = new ArrayList<>();
  private long found;
  private long kept;

  void add(String id, String what) {
    found++;
    show(id, what);
  }

  /** Adds a message that the target had before the copy, and that differs from the source. */
  void addKept(String id, String what) {
    kept++;
    show(id, what);
  }

  private void show(String id, String what) {
    if (first.size() < CopiedQueue.SHOWN) {
      first.add(new Difference(id, what));
    }
  }

  long found() {
    return found;
  }

  long kept() {
    return kept;
  }

  List<Difference> first() {
    return List.copyOf(first);
  }
}
