package io.punctual.cli.queue;

import io.punctual.QueueInfo;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** An order of queues. */
enum QueueOrder {
  NAME(Comparator.comparing(QueueInfo::name)),
  OVERDUE(
      Comparator.comparing((QueueInfo queue) -> queue.counts().overdue())
          .thenComparing(queue -> queue.counts().ready())
          .reversed()
          .thenComparing(QueueInfo::name)),
  READY(most(queue -> queue.counts().ready())),
  PENDING(most(queue -> queue.counts().pending())),
  DEAD(most(queue -> queue.counts().dead()));

  private final Comparator<QueueInfo> comparator;

  QueueOrder(Comparator<QueueInfo> comparator) {
    this.comparator = comparator;
  }

  private static Comparator<QueueInfo> most(ToLongFunction<QueueInfo> count) {
    return Comparator.comparingLong(count).reversed().thenComparing(QueueInfo::name);
  }

  List<QueueInfo> sorted(List<QueueInfo> queues) {
    return queues.stream().sorted(comparator).toList();
  }

  /** The names in lower case, for the help and for shell completion. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Stream.of(values()).map(order -> order.name().toLowerCase(Locale.ROOT)).iterator();
    }
  }
}
