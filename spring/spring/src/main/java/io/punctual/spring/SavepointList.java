package io.punctual.spring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A list that belongs to a transaction. A rollback to a savepoint removes the elements that were
 * added after the savepoint. For use by the transaction's thread.
 */
final class SavepointList<E> {
  private final List<E> elements = new ArrayList<>();
  private final Map<Object, Integer> sizes = new HashMap<>();

  void add(E element) {
    elements.add(element);
  }

  void addAll(List<E> added) {
    elements.addAll(added);
  }

  boolean isEmpty() {
    return elements.isEmpty();
  }

  List<E> elements() {
    return List.copyOf(elements);
  }

  void savepoint(Object savepoint) {
    sizes.put(savepoint, elements.size());
  }

  /**
   * Removes the elements that were added after the savepoint; all elements if the savepoint is
   * older than this list.
   */
  void rollback(Object savepoint) {
    int size = Math.min(sizes.getOrDefault(savepoint, 0), elements.size());
    elements.subList(size, elements.size()).clear();
  }

  /** Removes and returns all elements. */
  List<E> takeAll() {
    List<E> all = List.copyOf(elements);
    elements.clear();
    return all;
  }
}
