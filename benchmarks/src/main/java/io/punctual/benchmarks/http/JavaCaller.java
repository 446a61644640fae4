package io.punctual.benchmarks.http;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.Settlement;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Calls the Java API. */
final class JavaCaller implements ApiCaller {
  private static final int PAGE = 1000;

  private final Punctual punctual;
  private final TimedQueue<String> queue;

  JavaCaller(Punctual punctual, String queue) {
    this.punctual = punctual;
    this.queue = punctual.queue(queue, Codec.string());
  }

  @Override
  public void schedule(int messages, long delayMillis) {
    Duration delay = Duration.ofMillis(delayMillis);
    if (messages == 1) {
      var unused = queue.schedule("payload", delay);
      return;
    }
    List<Message<String>> all = new ArrayList<>(messages);
    for (int i = 0; i < messages; i++) {
      all.add(Message.of("payload").dueIn(delay));
    }
    var unused = queue.scheduleAll(all);
  }

  @Override
  public long[] consume(int most, int waitSeconds) {
    List<Delivery<String>> deliveries = queue.claim(most, Duration.ofSeconds(waitSeconds));
    Instant now = Instant.now();
    long[] late =
        deliveries.stream().mapToLong(each -> each.dueAt().until(now, ChronoUnit.MICROS)).toArray();
    if (!deliveries.isEmpty()) {
      var unused =
          queue.settle(
              deliveries.stream().<Settlement>map(d -> new Settlement.Ack(d.receipt())).toList());
    }
    return late;
  }

  @Override
  public void delete() {
    var unused = punctual.purgeAndDeleteQueue(queue.name());
  }

  @Override
  public int list(String prefix) {
    QueueQuery query = QueueQuery.of(prefix).limit(PAGE);
    int found = 0;
    for (Page<QueueInfo> page = punctual.queues(query); ; ) {
      found += page.items().size();
      String next = page.next().orElse(null);
      if (next == null) {
        return found;
      }
      page = punctual.queues(query.after(next));
    }
  }

  @Override
  public void close() {
    // The queue belongs to all callers.
  }
}
