package io.punctual.benchmarks.http;

import com.sun.management.OperatingSystemMXBean;
import io.punctual.Punctual;
import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Sample;
import io.punctual.server.PunctualServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * The process that measures the calls of a queue, by HTTP or through the Java API: {@code
 * HttpApiChild <store> <http|bare|direct> <seconds>}. Each figure is the median of three runs after
 * a warm-up of some seconds.
 */
final class HttpApiChild {
  private static final int HOUR_MILLIS = 3_600_000;
  private static final int BATCH = 200;
  private static final int DUE_ONES = 20_000;
  private static final int DUE_HUNDREDS = 100_000;
  private static final int[] POLLERS = {32, 1_000};
  private static final int RUNS = 4;
  private static final int LEAST_WARM_UP = 15;
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final Callers callers;
  private final int seconds;
  private final List<Sample> samples = new ArrayList<>();

  private record Rate(double perSecond, double cpuMicros, double tailMicros) {}

  private interface Callers {
    ApiCaller open(String queue) throws IOException;
  }

  private interface Step {
    /** Makes a call, and returns how many messages it was for; 0 ends the thread. */
    int run(ApiCaller caller) throws IOException;
  }

  private HttpApiChild(Callers callers, int seconds) {
    this.callers = callers;
    this.seconds = seconds;
  }

  public static void main(String[] args) throws Exception {
    int seconds = Integer.parseInt(args[2]);
    List<Sample> samples;
    switch (args[1]) {
      case "direct" -> {
        try (Punctual punctual = Punctual.open(args[0])) {
          samples = new HttpApiChild(name -> new JavaCaller(punctual, name), seconds).measure();
        }
      }
      case "bare" -> {
        try (BareServer server = new BareServer(args[0])) {
          int port = server.port();
          samples = new HttpApiChild(name -> new HttpCaller(port, name), seconds).measureCalls();
        }
      }
      default -> {
        try (PunctualServer server = HttpServerChild.start(args[0])) {
          int port = server.address().getPort();
          samples = new HttpApiChild(name -> new HttpCaller(port, name), seconds).measure();
        }
      }
    }
    Child.print(samples);
    System.exit(0);
  }

  private List<Sample> measure() throws IOException, InterruptedException {
    List<Sample> calls = measureCalls();
    list();
    return calls;
  }

  private List<Sample> measureCalls() throws IOException, InterruptedException {
    rate("schedules by 64 threads", "single", 64, caller -> schedule(caller, 1));
    rate("schedules in batches of 200 by 8 threads", "batch", 8, caller -> schedule(caller, BATCH));
    consume("claims and acks by 100, 8 threads", "hundreds", 100, DUE_HUNDREDS);
    consume("claims and acks one by one, 8 threads", "ones", 1, DUE_ONES);
    for (int pollers : POLLERS) {
      polls(pollers);
    }
    return samples;
  }

  private static int schedule(ApiCaller caller, int messages) throws IOException {
    caller.schedule(messages, HOUR_MILLIS);
    return messages;
  }

  private void rate(String metric, String queue, int threads, Step step)
      throws IOException, InterruptedException {
    Rate[] rates = new Rate[RUNS];
    for (int i = 0; i < RUNS; i++) {
      rates[i] = run(queue, threads, seconds(i), step);
      try (ApiCaller caller = callers.open(queue)) {
        caller.delete();
      }
    }
    add(metric, rates);
  }

  private int seconds(int run) {
    return run == 0 ? Math.max(seconds, LEAST_WARM_UP) : seconds;
  }

  private void add(String metric, Rate[] rates) {
    double perSecond = median(Arrays.stream(rates).mapToDouble(Rate::perSecond).toArray());
    double cpu = median(Arrays.stream(rates).mapToDouble(Rate::cpuMicros).toArray());
    samples.add(Sample.rate(metric, "messages/s", perSecond));
    samples.add(Sample.cost(metric + ", processor time of a message", "us", cpu));
    if (metric.startsWith("schedules")) {
      double tail = median(Arrays.stream(rates).mapToDouble(Rate::tailMicros).toArray());
      samples.add(Sample.cost(metric + ", p99 of a call", "us", tail));
    }
  }

  /** The first run is the warm-up. */
  private static double median(double[] values) {
    double[] measured = Arrays.copyOfRange(values, 1, RUNS);
    Arrays.sort(measured);
    return measured[measured.length / 2];
  }

  private void consume(String metric, String queue, int most, int due)
      throws IOException, InterruptedException {
    Rate[] rates = new Rate[RUNS];
    for (int i = 0; i < RUNS; i++) {
      try (ApiCaller caller = callers.open(queue)) {
        for (int sent = 0; sent < due; sent += 1_000) {
          caller.schedule(1_000, 0);
        }
      }
      rates[i] = run(queue, 8, seconds(i), caller -> caller.consume(most, 0).length);
      try (ApiCaller caller = callers.open(queue)) {
        caller.delete();
      }
    }
    add(metric, rates);
  }

  private Rate run(String queue, int threads, int runSeconds, Step step)
      throws InterruptedException {
    AtomicLong done = new AtomicLong();
    Histogram calls = new ConcurrentHistogram(3);
    long cpu = SYSTEM.getProcessCpuTime();
    long begin = System.nanoTime();
    long end = begin + Duration.ofSeconds(runSeconds).toNanos();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          start(
              queue,
              caller -> {
                long before = System.nanoTime();
                int messages = step.run(caller);
                calls.recordValue(System.nanoTime() - before);
                done.addAndGet(messages);
                return messages > 0 && System.nanoTime() - end < 0;
              }));
    }
    for (Thread thread : all) {
      thread.join();
    }
    double messages = Math.max(1, done.get());
    return new Rate(
        messages * 1e9 / (System.nanoTime() - begin),
        (SYSTEM.getProcessCpuTime() - cpu) / 1e3 / messages,
        calls.getValueAtPercentile(99) / 1e3);
  }

  private interface Loop {
    boolean again(ApiCaller caller) throws IOException;
  }

  private Thread start(String queue, Loop loop) {
    Thread thread =
        new Thread(
            () -> {
              try (ApiCaller caller = callers.open(queue)) {
                while (loop.again(caller)) {
                  // The loop counts.
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    thread.start();
    return thread;
  }

  private void polls(int pollers) throws IOException, InterruptedException {
    int number = seconds * 1_000;
    double[] halves = new double[RUNS];
    double[] tails = new double[RUNS];
    double[] costs = new double[RUNS];
    for (int i = 0; i < RUNS; i++) {
      long cpu = SYSTEM.getProcessCpuTime();
      long[] late = polls(number, pollers);
      costs[i] = (SYSTEM.getProcessCpuTime() - cpu) / 1e3 / number;
      halves[i] = late[late.length / 2];
      tails[i] = late[late.length * 99 / 100];
    }
    String metric = String.format(Locale.ROOT, "%,d long polls, 1,000 messages/s", pollers);
    samples.add(Sample.cost(metric + ", lateness, p50", "us", median(halves)));
    samples.add(Sample.cost(metric + ", lateness, p99", "us", median(tails)));
    samples.add(Sample.cost(metric + ", processor time of a message", "us", median(costs)));
  }

  private long[] polls(int number, int threads) throws IOException, InterruptedException {
    long[] late = new long[number];
    AtomicLong next = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> pollers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      pollers.add(
          start(
              "polls",
              caller -> {
                for (long each : caller.consume(10, 1)) {
                  late[(int) next.getAndIncrement()] = each;
                }
                return !over.get();
              }));
    }
    try (ApiCaller caller = callers.open("polls")) {
      long begin = System.nanoTime();
      for (int i = 0; i < number; i++) {
        long at = begin + i * 1_000_000L;
        while (System.nanoTime() - at < 0) {
          LockSupport.parkNanos(at - System.nanoTime());
        }
        caller.schedule(1, 300 + i % 200);
      }
    }
    while (next.get() < number) {
      LockSupport.parkNanos(1_000_000);
    }
    over.set(true);
    for (Thread poller : pollers) {
      poller.join();
    }
    Arrays.sort(late);
    return late;
  }

  private void list() throws IOException {
    int queues = seconds * 500;
    for (int i = 0; i < queues; i++) {
      try (ApiCaller caller = callers.open("many-" + i)) {
        caller.schedule(1, HOUR_MILLIS);
      }
    }
    double[] times = new double[RUNS];
    try (ApiCaller caller = callers.open("many-0")) {
      for (int i = 0; i < RUNS; i++) {
        long begin = System.nanoTime();
        int found = caller.list("many-");
        if (found != queues) {
          throw new IOException("The list has " + found + " of " + queues + " queues");
        }
        times[i] = (System.nanoTime() - begin) / 1e6;
      }
    }
    String metric = String.format(Locale.ROOT, "list of %,d queues with counts", queues);
    samples.add(Sample.cost(metric, "ms", median(times)));
  }
}
