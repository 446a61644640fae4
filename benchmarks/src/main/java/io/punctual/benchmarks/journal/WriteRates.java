package io.punctual.benchmarks.journal;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.benchmarks.CpuWatch;
import io.punctual.benchmarks.PartitionCalls;
import io.punctual.benchmarks.Sample;
import io.punctual.journal.JournalStore;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Messages per second that a journal writes and settles. Each measurement runs twice, each time in
 * a new folder; the first run is a warm-up.
 */
final class WriteRates {
  static final int BATCH = 1000;
  static final int CALLERS = 64;

  private static final int BATCH_CALLERS = 2;
  private static final int SETTLE_BATCH = 256;
  private static final int ACKS_IN_FLIGHT = 4;
  private static final long FAR_MILLIS = TimeUnit.DAYS.toMillis(1);
  private static final byte[] PAYLOAD = new byte[100];

  private final Path folder;

  WriteRates(Path folder) {
    this.folder = folder;
  }

  /** A measurement in a folder. */
  @FunctionalInterface
  private interface Run {
    List<Sample> in(Path folder) throws Exception;
  }

  private List<Sample> afterWarmUp(Run run) throws Exception {
    var unused = run.in(folder.resolve("warm-up"));
    return run.in(folder.resolve("measured"));
  }

  static List<List<Operation.Schedule>> schedules(int batch, int messages) {
    return batches(batch, messages, number -> schedule(number, inADay(number)));
  }

  private static Operation.Schedule schedule(int number, DueTime due) {
    return PartitionCalls.schedule(id(number), due, PAYLOAD);
  }

  private static DueTime inADay(int number) {
    return new DueTime(true, FAR_MILLIS + number % 1000);
  }

  private static String id(int number) {
    return String.format(Locale.ROOT, "order-%09d", number);
  }

  private static <T> List<List<T>> batches(int batch, int messages, IntFunction<T> make) {
    List<List<T>> all = new ArrayList<>();
    for (int first = 0; first < messages; first += batch) {
      List<T> made = new ArrayList<>(batch);
      for (int i = first; i < Math.min(messages, first + batch); i++) {
        made.add(make.apply(i));
      }
      all.add(made);
    }
    return all;
  }

  /** Schedules in batches through the SPI, with two sessions. */
  List<Sample> partitionBatches(int messages) throws Exception {
    List<List<Operation>> batches =
        batches(BATCH, messages, number -> schedule(number, inADay(number)));
    return afterWarmUp(
        place -> {
          try (JournalStore store = JournalStore.builder(place).open()) {
            return concurrently(
                BATCH_CALLERS, batches, () -> PartitionCalls.open(store, "q")::apply);
          }
        });
  }

  /** Schedules in batches through the client, from two threads. */
  List<Sample> clientBatches(int messages) throws Exception {
    List<List<Message<byte[]>>> batches = batches(BATCH, messages, WriteRates::message);
    return afterWarmUp(
        place -> {
          try (Punctual punctual = Punctual.open("journal:" + place)) {
            TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
            return concurrently(BATCH_CALLERS, batches, () -> queue::scheduleAll);
          }
        });
  }

  private static Message<byte[]> message(int number) {
    return Message.of(PAYLOAD).id(id(number)).dueIn(Duration.ofMillis(inADay(number).millis()));
  }

  /** Schedules single messages through the client, from many threads. */
  List<Sample> singleCalls(int messages) throws Exception {
    List<List<Message<byte[]>>> ofThreads =
        batches(messages / CALLERS, messages, WriteRates::message);
    return afterWarmUp(
        place -> {
          try (Punctual punctual = Punctual.open("journal:" + place)) {
            TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
            return concurrently(
                ofThreads.size(), ofThreads, () -> own -> own.forEach(queue::schedule));
          }
        });
  }

  /** A caller of the journal: processes a batch. */
  @FunctionalInterface
  private interface Caller<T> {
    void call(List<T> batch);
  }

  /**
   * Distributes the batches over threads, each with its own {@link Caller}, and measures the rate.
   */
  private static <T> List<Sample> concurrently(
      int threads, List<List<T>> batches, Callable<? extends Caller<T>> callers) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Void>> loops = new ArrayList<>();
      for (int first = 0; first < threads; first++) {
        loops.add(loop(first, threads, batches, callers.call()));
      }
      CpuWatch watch = new CpuWatch();
      for (Future<Void> loop : executor.invokeAll(loops)) {
        loop.get();
      }
      return watch.rateOf(batches.stream().mapToInt(List::size).sum());
    } finally {
      executor.shutdown();
    }
  }

  private static <T> Callable<Void> loop(
      int first, int step, List<List<T>> batches, Caller<T> caller) {
    return () -> {
      for (int i = first; i < batches.size(); i += step) {
        caller.call(batches.get(i));
      }
      return null;
    };
  }

  /** Claims and acks messages. A few batches of acks are in flight at once, as with a worker. */
  List<Sample> claimsAndAcks(int messages) throws Exception {
    List<List<Operation>> batches =
        batches(BATCH, messages, number -> schedule(number, new DueTime(false, number % 7919)));
    return afterWarmUp(
        place -> {
          try (JournalStore store = JournalStore.builder(place).open()) {
            batches.forEach(PartitionCalls.open(store, "q")::apply);
            return settle(PartitionCalls.open(store, "q"), messages);
          }
        });
  }

  private static List<Sample> settle(PartitionCalls calls, int messages) {
    Deque<CompletableFuture<Reply>> acks = new ArrayDeque<>();
    CpuWatch watch = new CpuWatch();
    int acked = 0;
    while (acked < messages) {
      List<Operation> batch = PartitionCalls.acks(calls.claim(SETTLE_BATCH));
      acked += batch.size();
      acks.add(calls.send(batch));
      if (acks.size() > ACKS_IN_FLIGHT) {
        var unused = acks.remove().join();
      }
    }
    acks.forEach(CompletableFuture::join);
    return watch.rateOf(acked);
  }
}
