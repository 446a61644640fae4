package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The worker processes of {@link WaitingBenchmark}, and their reports. Thread-safe. */
final class WaitingWorkers implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final List<Process> processes = new ArrayList<>();
  private List<Long> latenesses = new ArrayList<>();
  private final Map<Long, Integer> shares = new HashMap<>();
  private boolean quiet;
  private @Nullable Process last;

  /** They say nothing of their deliveries. */
  WaitingWorkers quietly() {
    quiet = true;
    return this;
  }

  /** Starts processes that work on these queues, and waits until they do. */
  void start(int count, String url, int concurrency, String... queues)
      throws IOException, InterruptedException {
    CountDownLatch ready = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  ProcessHandle.current().info().command().orElse("java"),
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  WaitingWorker.class.getName(),
                  url,
                  Integer.toString(concurrency),
                  Boolean.toString(quiet)));
      command.addAll(List.of(queues));
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      processes.add(process);
      Thread reader = new Thread(() -> read(process, ready));
      reader.setDaemon(true);
      reader.start();
    }
    if (!ready.await(2, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the workers did not start");
    }
  }

  private void read(Process process, CountDownLatch ready) {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals("ready")) {
          ready.countDown();
        } else {
          late(process, Long.parseLong(line.substring(line.indexOf(' ') + 1)));
        }
      }
    } catch (IOException killed) {
      process.destroyForcibly();
    }
  }

  private synchronized void late(Process process, long micros) {
    last = process;
    shares.merge(process.pid(), 1, Integer::sum);
    latenesses.add(micros);
    notifyAll();
  }

  synchronized void awaitLatenesses(int count) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (latenesses.size() < count && System.nanoTime() - deadline < 0) {
      wait(100);
    }
    if (latenesses.size() != count) {
      throw new IllegalStateException(latenesses.size() + " deliveries instead of " + count);
    }
  }

  /** Returns those since the last time, in microseconds, the lowest first. */
  synchronized long[] takeLatenesses() {
    long[] taken = latenesses.stream().mapToLong(Long::longValue).sorted().toArray();
    latenesses = new ArrayList<>();
    return taken;
  }

  synchronized void forgetLatenesses() {
    latenesses = new ArrayList<>();
    shares.clear();
  }

  /** Returns how many messages each worker that had any has had, the most first. */
  synchronized List<Integer> takeShares() {
    List<Integer> taken = shares.values().stream().sorted(Comparator.reverseOrder()).toList();
    shares.clear();
    return taken;
  }

  /** Returns the processor time that all have used. */
  double cpuSeconds() {
    return processes.stream()
        .mapToDouble(
            process -> process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9)
        .sum();
  }

  /** Kills the process that got the last message. */
  synchronized void killLast() {
    if (last != null) {
      last.destroyForcibly();
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
