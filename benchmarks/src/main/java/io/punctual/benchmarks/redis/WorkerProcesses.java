package io.punctual.benchmarks.redis;

import io.punctual.benchmarks.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Worker processes, and the lateness of their deliveries. Thread-safe. */
final class WorkerProcesses implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final List<String> SMALL =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final List<Child> children = new ArrayList<>();
  private Histogram late = new Histogram(3);
  private @Nullable Child last;

  private WorkerProcesses() {}

  /**
   * Starts processes that print their deliveries, and waits until their workers run on these
   * queues.
   */
  static WorkerProcesses start(int count, String url, int concurrency, String... queues)
      throws IOException, InterruptedException {
    return start(false, count, url, concurrency, queues);
  }

  /**
   * Starts processes that print no deliveries, and waits until their workers run on these queues.
   */
  static WorkerProcesses startQuiet(int count, String url, int concurrency, String... queues)
      throws IOException, InterruptedException {
    return start(true, count, url, concurrency, queues);
  }

  private static WorkerProcesses start(
      boolean quiet, int count, String url, int concurrency, String... queues)
      throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(List.of(url, Integer.toString(concurrency), Boolean.toString(quiet)));
    arguments.addAll(List.of(queues));
    WorkerProcesses workers = new WorkerProcesses();
    try {
      for (int i = 0; i < count; i++) {
        workers.children.add(
            Child.start(WorkerChild.class, SMALL, arguments.toArray(String[]::new)));
      }
      for (Child child : workers.children) {
        workers.awaitReady(child);
      }
      return workers;
    } catch (IOException e) {
      workers.close();
      throw e;
    }
  }

  private void awaitReady(Child child) throws IOException {
    for (String line = child.expect(); !line.equals(WorkerChild.READY); line = child.expect()) {
      delivered(child, line);
    }
    Thread reader = new Thread(() -> read(child), "deliveries");
    reader.setDaemon(true);
    reader.start();
  }

  private void read(Child child) {
    for (String line = child.answer(); line != null; line = child.answer()) {
      delivered(child, line);
    }
  }

  private synchronized void delivered(Child child, String micros) {
    last = child;
    late.recordValue(Math.max(0, Long.parseLong(micros)));
    notifyAll();
  }

  /** Waits for deliveries, and returns their lateness in microseconds. */
  synchronized Histogram awaitDeliveries(int count) throws InterruptedException {
    long start = System.nanoTime();
    while (late.getTotalCount() < count) {
      long left = PATIENCE_NANOS - (System.nanoTime() - start);
      if (left <= 0) {
        throw new IllegalStateException(
            late.getTotalCount() + " deliveries instead of " + count + " within a minute");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    Histogram taken = late;
    late = new Histogram(3);
    return taken;
  }

  /** The processor time of all processes. */
  double cpuSeconds() {
    return children.stream().mapToDouble(Child::cpuSeconds).sum();
  }

  /** Kills the process that printed the last delivery. */
  void killLast() throws InterruptedException {
    Child killed;
    synchronized (this) {
      killed = last;
    }
    if (killed != null) {
      killed.kill();
    }
  }

  @Override
  public void close() throws InterruptedException {
    for (Child child : children) {
      child.kill();
    }
  }
}
