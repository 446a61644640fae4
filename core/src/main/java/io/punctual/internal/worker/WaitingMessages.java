package io.punctual.internal.worker;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The messages of a {@link WorkerPrefetch} in the order of their claims, until they start or are
 * released. The prefetch's lock guards it.
 */
final class WaitingMessages {
  private static final List<WaitingMessage> NONE = List.of();

  private final Set<WaitingMessage> messages = new LinkedHashSet<>();
  private long bytes;

  void add(WaitingMessage message) {
    messages.add(message);
    bytes += message.bytes();
  }

  /** Removes a message; returns whether it was here. */
  boolean remove(WaitingMessage message) {
    boolean removed = messages.remove(message);
    bytes -= removed ? message.bytes() : 0;
    return removed;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  int size() {
    return messages.size();
  }

  boolean contains(WaitingMessage message) {
    return messages.contains(message);
  }

  /** Returns the size of the messages in bytes. */
  long bytes() {
    return bytes;
  }

  /** Returns the first messages, and marks them as starting. */
  List<WaitingMessage> start(long count) {
    List<WaitingMessage> first = messages.stream().limit(count).toList();
    first.forEach(each -> each.starting(true));
    return first;
  }

  /** Returns the messages after the first {@code kept}. */
  List<WaitingMessage> after(int kept) {
    return messages.size() <= kept ? NONE : messages.stream().skip(kept).toList();
  }

  /** Returns the messages that are not being started. */
  List<WaitingMessage> notStarting() {
    return messages.stream().filter(each -> !each.isStarting()).toList();
  }
}
