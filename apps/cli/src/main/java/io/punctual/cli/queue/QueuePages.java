package io.punctual.cli.queue;

import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The queues of a store with their counts, read page by page.
 *
 * @param punctual the store
 * @param prefix the beginning of their names
 */
record QueuePages(Punctual punctual, String prefix) {
  /** A page takes a store a fraction of a second, unless the queues are large. */
  private static final int PAGE = 250;

  /**
   * Reads at most {@code limit} queues in the order of their names.
   *
   * @param after the name after which to begin, or empty
   * @return the last name read, if there are more queues
   */
  Optional<String> read(String after, int limit, Consumer<QueueInfo> receiver) {
    Optional<String> cursor = after.isEmpty() ? Optional.empty() : Optional.of(after);
    int left = limit;
    do {
      Page<QueueInfo> page = punctual.queues(new QueueQuery(prefix, cursor, Math.min(left, PAGE)));
      page.items().forEach(receiver);
      left -= page.items().size();
      cursor = page.next();
    } while (left > 0 && cursor.isPresent());
    return cursor;
  }

  /** Reads all queues, in this order. */
  List<QueueInfo> all(QueueOrder order, IntConsumer progress) {
    List<QueueInfo> queues = new ArrayList<>();
    Optional<String> unused =
        read(
            "",
            Integer.MAX_VALUE,
            queue -> {
              queues.add(queue);
              progress.accept(queues.size());
            });
    return order.sorted(queues);
  }
}
