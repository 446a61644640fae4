package io.punctual.cli.queue;

import io.punctual.QueueInfo;
import io.punctual.cli.output.EnumNames;
import java.util.Comparator;
import java.util.List;

enum QueueOrder {
  NAME,
  OVERDUE,
  READY,
  PENDING,
  DEAD;

  List<QueueInfo> sorted(List<QueueInfo> queues) {
    Comparator<QueueInfo> greatestFirst =
        switch (this) {
          case NAME -> Comparator.comparing(QueueInfo::name).reversed();
          case OVERDUE ->
              Comparator.comparing((QueueInfo queue) -> queue.counts().overdue())
                  .thenComparing(queue -> queue.counts().ready());
          case READY -> Comparator.comparingLong(queue -> queue.counts().ready());
          case PENDING -> Comparator.comparingLong(queue -> queue.counts().pending());
          case DEAD -> Comparator.comparingLong(queue -> queue.counts().dead());
        };
    return queues.stream().sorted(greatestFirst.reversed().thenComparing(QueueInfo::name)).toList();
  }

  /** The names, for the help and for shell completion. */
  static final class Names extends EnumNames {
    Names() {
      super(values());
    }
  }
}
