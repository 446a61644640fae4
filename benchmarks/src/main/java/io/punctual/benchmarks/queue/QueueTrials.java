package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Outcome;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.queue.MessageLog.Row;
import io.punctual.testkit.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** How a trial of a queue is run and judged. */
final class QueueTrials {
  private static final int HANDLERS = 64;
  private static final int KILLED_HANDLERS = 8;
  private static final int KILLED_HANDLER_MILLIS = 20;
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  /** How long after the last due time a message counts as lost, if nothing else comes. */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  /** The same after a kill: longer than a lease of 30 s. */
  private static final Duration LEASE_SILENCE = Duration.ofSeconds(40);

  private static final int MIN_FOR_MEMORY = 10_000;
  private static final int FILL_RATE = 15_000;
  private static final long DRAIN_LEAD_MILLIS = 1_500;

  private final RedisProcess redis;

  QueueTrials(RedisProcess redis) {
    this.redis = redis;
  }

  /** A trial's own directory, with its logs and, for some, its store. */
  private record Place(Path directory) implements AutoCloseable {
    Path scheduled() {
      return directory.resolve("scheduled.log");
    }

    Path delivered() {
      return directory.resolve("delivered.log");
    }

    @Override
    public void close() throws IOException {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  Outcome rates(QueueKind kind, long backlog, long millis) throws Exception {
    try (Place place = open(kind);
        Child child = start("rates", orders(kind, place, backlog, 0, 0, 0, HANDLERS, 0, millis))) {
      List<Sample> samples = new ArrayList<>();
      child.expect();
      double empty = kind.isOnRedis() ? RedisInfo.usedMemory(redis) : 0;
      child.expect();
      if (kind.isOnRedis() && backlog >= MIN_FOR_MEMORY) {
        double bytes = (RedisInfo.usedMemory(redis) - empty) / backlog;
        samples.add(Sample.cost("memory of the server for a message", "bytes", bytes));
      }
      child.tell();
      for (String line = child.expect(); !line.endsWith(" end"); line = child.expect()) {
        String[] words = line.split(" ", 2);
        samples.add(Sample.rate(words[1], "messages/s", Double.parseDouble(words[0])));
      }
      return new Outcome(samples, null, null);
    }
  }

  Outcome drain(QueueKind kind, int count) throws Exception {
    long dueIn = DRAIN_LEAD_MILLIS + count * 1_000L / FILL_RATE;
    try (Place place = open(kind)) {
      Orders orders = orders(kind, place, 0, count, 0, dueIn, HANDLERS, 0, 0);
      double cpu;
      try (Run run = new Run(orders)) {
        run.awaitProduced();
        cpu = kind.isOnRedis() ? RedisInfo.cpuSeconds(redis) : 0;
        awaitDelivered(place, count, SILENCE);
        cpu = kind.isOnRedis() ? RedisInfo.cpuSeconds(redis) - cpu : 0;
      }
      List<Row> scheduled = MessageLog.read(place.scheduled());
      List<Row> delivered = MessageLog.read(place.delivered());
      Verdict verdict = Verdict.of(scheduled, delivered);
      long due = scheduled.isEmpty() ? 0 : scheduled.get(0).dueMicros();
      long filled = scheduled.stream().mapToLong(Row::atMicros).max().orElse(0);
      long last = delivered.stream().mapToLong(Row::atMicros).max().orElse(0);
      double seconds = (last - Math.max(due, filled)) / 1e6;
      List<Sample> samples = new ArrayList<>();
      samples.add(
          Sample.rate("delivered", "messages/s", delivered.size() / Math.max(seconds, 1e-3)));
      if (kind.isOnRedis()) {
        samples.add(Sample.cost("server time for a message", "µs", cpu * 1e6 / count));
      }
      return new Outcome(samples, verdict.tally(), null);
    }
  }

  Outcome steady(QueueKind kind, long backlog, int rate, int seconds) throws Exception {
    long count = (long) rate * seconds;
    try (Place place = open(kind)) {
      Orders orders = orders(kind, place, backlog, count, rate, 0, HANDLERS, 0, 0);
      try (Run run = new Run(orders)) {
        run.awaitProduced();
        Thread.sleep(LONGEST_DELAY.toMillis());
        awaitDelivered(place, count, SILENCE);
      }
      return judged(place);
    }
  }

  /** Handlers take 20 ms; half way the first consumer is killed, and another takes over. */
  Outcome killed(QueueKind kind) throws Exception {
    int count = 1_000;
    try (Place place = open(kind)) {
      Orders orders =
          orders(
              kind,
              place,
              0,
              count,
              0,
              DRAIN_LEAD_MILLIS,
              KILLED_HANDLERS,
              KILLED_HANDLER_MILLIS,
              0);
      try (Run run = new Run(orders)) {
        run.awaitProduced();
        awaitDelivered(place, count / 2, SILENCE);
        run.consumer.kill();
        try (Child second = start("consume", orders)) {
          second.expect();
          awaitDelivered(place, count, kind == QueueKind.PUNCTUAL_REDIS ? LEASE_SILENCE : SILENCE);
        }
      }
      Verdict verdict =
          Verdict.of(MessageLog.read(place.scheduled()), MessageLog.read(place.delivered()));
      double lost = verdict.tally().lost();
      return new Outcome(List.of(Sample.cost("lost", "messages", lost)), verdict.tally(), null);
    }
  }

  private static Outcome judged(Place place) throws IOException {
    List<Row> delivered =
        MessageLog.read(place.delivered()).stream()
            .filter(row -> row.number() < Producer.BACKLOG)
            .toList();
    Verdict verdict = Verdict.of(MessageLog.read(place.scheduled()), delivered);
    Histogram late = verdict.latenessMicros();
    return new Outcome(
        List.of(
            Sample.cost("lateness p50", "ms", late.getValueAtPercentile(50) / 1e3),
            Sample.cost("lateness p99", "ms", late.getValueAtPercentile(99) / 1e3),
            Sample.cost("lateness p99.9", "ms", late.getValueAtPercentile(99.9) / 1e3),
            Sample.cost("lateness max", "ms", late.getMaxValue() / 1e3)),
        verdict.tally(),
        late);
  }

  /** The processes of a trial: one that consumes and one that produces, or one that does both. */
  private static final class Run implements AutoCloseable {
    final Child consumer;
    private final @Nullable Child producer;

    Run(Orders orders) throws IOException {
      boolean apart = orders.kind().isOnRedis();
      consumer = start(apart ? "consume" : "both", orders);
      consumer.expect();
      producer = apart ? start("produce", orders) : null;
    }

    void awaitProduced() throws IOException {
      (producer == null ? consumer : producer).expect();
    }

    @Override
    public void close() throws IOException, InterruptedException {
      if (producer != null) {
        producer.close();
      }
      consumer.close();
    }
  }

  private static void awaitDelivered(Place place, long count, Duration silence)
      throws IOException, InterruptedException {
    long seen = -1;
    long since = System.nanoTime();
    while (System.nanoTime() - since < silence.toNanos()) {
      long now = MessageLog.count(place.delivered());
      if (now >= count && isComplete(place, count)) {
        return;
      }
      if (now != seen) {
        seen = now;
        since = System.nanoTime();
      }
      Thread.sleep(20);
    }
  }

  /** The backlog's messages are in the log too. */
  private static boolean isComplete(Place place, long count) throws IOException {
    return MessageLog.read(place.delivered()).stream()
            .filter(row -> row.number() < Producer.BACKLOG)
            .map(Row::number)
            .distinct()
            .count()
        >= count;
  }

  private Place open(QueueKind kind) throws IOException {
    if (kind.isOnRedis()) {
      Object unused = redis.ask("FLUSHALL");
    }
    return new Place(Files.createTempDirectory("punctual-bench-"));
  }

  private Orders orders(
      QueueKind kind,
      Place place,
      long backlog,
      long count,
      long perSecond,
      long dueIn,
      int handlers,
      long handlerMillis,
      long measureMillis) {
    return new Orders(
        kind,
        url(kind, place),
        backlog,
        count,
        perSecond,
        dueIn,
        handlers,
        handlerMillis,
        measureMillis,
        place.scheduled().toString(),
        place.delivered().toString());
  }

  private String url(QueueKind kind, Place place) {
    return switch (kind) {
      case PUNCTUAL_JOURNAL -> "journal:" + place.directory().resolve("journal");
      case PUNCTUAL_MEMORY, DELAY_QUEUE -> "memory:";
      default -> redis.url();
    };
  }

  private static Child start(String role, Orders orders) throws IOException {
    return Child.start(QueueChild.class, orders.jvmOptions(), role, orders.word());
  }
}
