package io.punctual.migration.copy;

import io.punctual.State;
import io.punctual.migration.message.MessageImage;
import io.punctual.migration.message.QueueReader;
import io.punctual.migration.message.Requests;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Compares the queues of two stores message by message: it reads a queue, and finds each message in
 * the other queue by its id. Not thread-safe.
 */
final class Comparison {
  /** The maximum number of look-ups in flight. */
  private static final int LOOK_UPS = 64;

  private final Differences differences;
  private final boolean merges;
  private final Runnable afterPage;

  /**
   * Creates a comparison.
   *
   * @param merges whether the target may have messages of its own, with any content
   */
  Comparison(Differences differences, boolean merges, Runnable afterPage) {
    this.differences = differences;
    this.merges = merges;
    this.afterPage = afterPage;
  }

  /** A message, and the look-up of the message with the same id. */
  private record Pair(Entry entry, CompletionStage<Optional<Entry>> other, Partition partition) {}

  /**
   * Notes the messages of the source that the target does not have, or has with different parts.
   * Skips messages that were cancelled during their leases, and remembered ids that have expired.
   */
  void compare(QueueReader source, List<Partition> target) {
    read(
        source,
        target,
        pair -> {
          Entry there = found(pair);
          if (there != null || !isOver(pair)) {
            compare(pair.entry, there);
          }
        });
  }

  /**
   * Notes the messages of the target that the source does not have, or has cancelled during their
   * leases. Skips remembered ids that have expired.
   */
  void findExtra(QueueReader target, List<Partition> source) {
    read(
        target,
        source,
        pair -> {
          Entry there = found(pair);
          if ((there == null && !isOver(pair)) || (there != null && isDiscarded(there))) {
            differences.add(pair.entry.id(), "is not in the source");
          }
        });
  }

  private interface Pairs {
    void accept(Pair pair);
  }

  private void read(QueueReader reader, List<Partition> others, Pairs pairs) {
    List<Pair> pending = new ArrayList<>();
    reader.forEach(
        entry -> {
          Partition other = others.get(Partition.indexOf(entry.id(), others.size()));
          pending.add(new Pair(entry, other.find(entry.id()), other));
          if (pending.size() == LOOK_UPS) {
            pending.forEach(pairs::accept);
            pending.clear();
          }
        },
        () -> {
          pending.forEach(pairs::accept);
          pending.clear();
          afterPage.run();
        });
  }

  private static @Nullable Entry found(Pair pair) {
    String id = pair.entry.id();
    return Requests.answer(
            "The look-up of message '" + id + "'", () -> pair.other, () -> pair.partition.find(id))
        .orElse(null);
  }

  /**
   * Returns whether the entry is a remembered id that has expired by the other store's clock, so
   * the other store has forgotten it or will not remember it.
   */
  private static boolean isOver(Pair pair) {
    return pair.entry.state() == State.FINISHED
        && pair.entry.dueMillis() <= StoreTime.millis(pair.partition);
  }

  private void compare(Entry original, @Nullable Entry copy) {
    if (isDiscarded(original)) {
      return;
    }
    MessageImage image = image(original, "of the source can't be copied: ");
    if (image == null) {
      return;
    }
    if (copy == null) {
      differences.add(original.id(), "is not in the target");
      return;
    }
    MessageImage copied = image(copy, "of the target can't be compared: ");
    if (copied != null) {
      List<String> parts = image.differencesFrom(copied);
      if (!parts.isEmpty()) {
        differs(original.id(), String.join(", ", parts));
      }
    }
  }

  private void differs(String id, String parts) {
    if (merges) {
      differences.addKept(id, "was in the target before, and differs: " + parts);
    } else {
      differences.add(id, "differs: " + parts);
    }
  }

  private @Nullable MessageImage image(Entry entry, String where) {
    try {
      return MessageImage.of(entry);
    } catch (IllegalArgumentException e) {
      differences.add(entry.id(), where + e.getMessage());
      return null;
    }
  }

  /** Whether a message was cancelled during its lease, so that it is not delivered again. */
  static boolean isDiscarded(Entry entry) {
    return entry.state() == State.LEASED && entry.cancelled();
  }
}
