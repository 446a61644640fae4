package io.punctual.journal;

import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Id;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Measures the speed of a journal on this machine, beside a plain append and fsync of the same
 * bytes in the same batches: the median of five rounds of each, in turns, so that other load of the
 * machine affects all alike. Run by {@code -Dtest=Speed}; works in {@code target/speed}, or the
 * folder that the property {@code punctual.folder} names, which is emptied.
 */
final class Speed {
  private static final int ROUNDS = 5;
  private static final int BATCH = 1000;
  private static final int BATCHES = 200;
  private static final int SETTLE_BATCH = 256;
  private static final int CALLERS = 64;
  private static final int EACH = 2000;
  private static final long FAR_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Path folder = Path.of(System.getProperty("punctual.folder", "target/speed"));

  @Test
  void measure() throws Exception {
    List<Figures> all =
        List.of(
            new Figures(
                "plain append + fsync, batches of 1000", () -> plainAppends(BATCH, BATCHES)),
            new Figures("partition, batches of 1000, two callers", this::partitionBatches),
            new Figures("scheduleAll, batches of 1000, two callers", this::clientBatches),
            new Figures("plain append + fsync, batches of 64", () -> plainAppends(CALLERS, EACH)),
            new Figures("schedule one by one, 64 threads", this::oneByOne),
            new Figures("claim + ack by the SPI, batches of 256", this::claimsAndAcks));
    for (int round = -1; round < ROUNDS; round++) {
      for (Figures figures : all) {
        figures.take(Math.max(round, 0), folder);
      }
    }
    all.forEach(figures -> figures.report(all.get(0)));
  }

  /** Other load of the machine affects the processor time less than the rate. */
  private static final class Figures {
    private final String what;
    private final Callable<Rate> measure;
    private final double[] perSecond = new double[ROUNDS];
    private final double[] cpuMicros = new double[ROUNDS];

    Figures(String what, Callable<Rate> measure) {
      this.what = what;
      this.measure = measure;
    }

    void take(int round, Path folder) throws Exception {
      Files.createDirectories(folder);
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Rate rate = measure.call();
      perSecond[round] = rate.perSecond();
      cpuMicros[round] = rate.cpuMicros();
    }

    void report(Figures plain) {
      System.out.printf(
          Locale.ROOT,
          "%-42s %,9.0f/s (%,.0f to %,.0f), %.2f of plain; %.1f \u00b5s of processor each%n",
          what,
          median(perSecond),
          Arrays.stream(perSecond).min().orElse(0),
          Arrays.stream(perSecond).max().orElse(0),
          median(perSecond) / median(plain.perSecond),
          median(cpuMicros));
    }
  }

  private record Rate(double perSecond, double cpuMicros) {}

  /** A stop-watch that runs from its creation. */
  private static final class Watch {
    private final long begun = System.nanoTime();
    private final long cpuBegun = cpuNanos();

    Rate rate(long messages) {
      return new Rate(
          messages * 1e9 / (System.nanoTime() - begun), (cpuNanos() - cpuBegun) / 1e3 / messages);
    }

    private static long cpuNanos() {
      return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static String id(int number) {
    return "order-%09d".formatted(number);
  }

  private static Operation.Schedule operation(int number, byte[] payload) {
    DueTime due = new DueTime(true, FAR_MILLIS + number % 1000);
    return new Operation.Schedule(id(number), due, IfPresent.KEEP, Content.of(payload));
  }

  private static <T> List<List<T>> batches(IntFunction<T> make) {
    return batches(BATCH, BATCHES, make);
  }

  private static <T> List<List<T>> batches(int size, int count, IntFunction<T> make) {
    List<List<T>> all = new ArrayList<>();
    for (int batch = 0; batch < count; batch++) {
      List<T> messages = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        messages.add(make.apply(batch * size + i));
      }
      all.add(messages);
    }
    return all;
  }

  /** Encodes each batch as records, appends it to a file, and forces it. */
  private Rate plainAppends(int size, int count) throws IOException {
    byte[] payload = new byte[100];
    List<List<Operation>> batches = batches(size, count, number -> operation(number, payload));
    try (FileChannel file =
        FileChannel.open(
            folder.resolve("plain"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      Watch watch = new Watch();
      long sequence = 0;
      for (List<Operation> batch : batches) {
        RecordBuffer records = new RecordBuffer(FrameFormat.HEADER);
        for (Operation operation : batch) {
          Operation.Schedule schedule = (Operation.Schedule) operation;
          Id id = Id.of(schedule.id(), 1);
          byte[] content = ContentFormat.encode(schedule.content());
          records.message(1, sequence++, schedule.due().millis(), id, content);
        }
        ByteBuffer frame = records.written();
        int checksum = FrameFormat.seal(frame, size, 0, 0, 1, file.position());
        if (checksum != 0 || sequence > 0) {
          while (frame.hasRemaining()) {
            int unused = file.write(frame);
          }
        }
        file.force(false);
      }
      return watch.rate((long) size * count);
    }
  }

  private Rate partitionBatches() throws Exception {
    byte[] payload = new byte[100];
    List<List<Operation>> batches = batches(number -> operation(number, payload));
    try (JournalStore store = JournalStore.builder(folder).open()) {
      return twoCallers(
          batches,
          () -> {
            Session session = Session.of(store, "q");
            return batch -> Session.await(session.send(new Call.Apply(batch, null)));
          });
    }
  }

  private Rate clientBatches() throws Exception {
    byte[] payload = new byte[100];
    List<List<Message<byte[]>>> batches =
        batches(
            number ->
                Message.of(payload)
                    .id(id(number))
                    .dueIn(Duration.ofMillis(FAR_MILLIS + number % 1000)));
    try (Punctual punctual = Punctual.open("journal:" + folder)) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      return twoCallers(batches, () -> queue::scheduleAll);
    }
  }

  private interface Caller<T> {
    Object call(List<T> batch);
  }

  private static <T> Rate twoCallers(List<List<T>> batches, Callable<Caller<T>> callers)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Caller<T>> made = List.of(callers.call(), callers.call());
      Watch watch = new Watch();
      List<Future<?>> running = new ArrayList<>();
      for (int first = 0; first < 2; first++) {
        int from = first;
        running.add(
            threads.submit(
                () -> {
                  for (int i = from; i < batches.size(); i += 2) {
                    Object unused = made.get(from).call(batches.get(i));
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
      return watch.rate((long) BATCH * batches.size());
    } finally {
      threads.shutdown();
    }
  }

  private Rate oneByOne() throws Exception {
    byte[] payload = new byte[100];
    List<List<Message<byte[]>>> messages =
        batches(
            EACH,
            CALLERS,
            number -> Message.of(payload).id(id(number)).dueIn(Duration.ofMillis(FAR_MILLIS)));
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try (Punctual punctual = Punctual.open("journal:" + folder)) {
      TimedQueue<byte[]> queue = punctual.queue("q", Codec.bytes());
      List<Future<?>> running = new ArrayList<>();
      Watch watch = new Watch();
      for (List<Message<byte[]>> own : messages) {
        running.add(
            threads.submit(
                () -> {
                  for (Message<byte[]> message : own) {
                    Object unused = queue.schedule(message);
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
      return watch.rate((long) CALLERS * EACH);
    } finally {
      threads.shutdown();
    }
  }

  /** The acks of a claim are sent without waiting, as a worker does; a few may be in flight. */
  private Rate claimsAndAcks() throws Exception {
    byte[] payload = new byte[100];
    List<List<Operation>> batches =
        batches(
            number ->
                new Operation.Schedule(
                    id(number),
                    new DueTime(false, number % 7919),
                    IfPresent.KEEP,
                    Content.of(payload)));
    try (JournalStore store = JournalStore.builder(folder).open()) {
      Session filling = Session.of(store, "q");
      batches.forEach(batch -> Session.await(filling.send(new Call.Apply(batch, null))));
      Session session = Session.of(store, "q");
      Deque<CompletableFuture<Reply>> acks = new ArrayDeque<>();
      int acked = 0;
      Watch watch = new Watch();
      while (acked < BATCH * BATCHES) {
        Reply.Claimed claimed =
            (Reply.Claimed) Session.await(session.sendNext(new Call.Claim(SETTLE_BATCH, 60_000)));
        List<Operation> batch = new ArrayList<>(SETTLE_BATCH);
        for (Reply.Leased leased : claimed.messages()) {
          batch.add(new Operation.Ack(leased.id(), claimed.token()));
        }
        acked += batch.size();
        acks.add(session.sendNext(new Call.Apply(batch, null)));
        if (acks.size() > 4) {
          Session.await(acks.remove());
        }
      }
      acks.forEach(Session::await);
      return watch.rate(acked);
    }
  }
}
