package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.testkit.history.History;
import io.punctual.testkit.history.HistoryReport;
import io.punctual.testkit.history.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Producers and workers as processes of their own, each with a recording, and the judgement at the
 * end. For one thread.
 */
final class FaultRun implements AutoCloseable {
  static final String QUEUE = "faults";

  /** What a process says once it has reached the store. */
  static final String READY = "ready";

  private final Path directory;
  private final String url;
  private final List<Process> processes = new ArrayList<>();
  private final Map<Process, Path> histories = new HashMap<>();
  private int names;

  /** Creates one whose processes use the store at this URL. */
  FaultRun(Path directory, String url) {
    this.directory = directory;
    this.url = url;
  }

  /**
   * Starts a process that schedules so many messages, due within two seconds, and ends. Returns
   * when it has reached the store, as does {@link #work}.
   */
  Process produce(int messages) {
    return start("produce", messages, 0);
  }

  /** Starts a process that works until it is ended. */
  Process work() {
    return work(1);
  }

  /** Starts one whose handlers take so long. */
  Process work(int millis) {
    return start("work", 16, millis);
  }

  private Process start(String role, int number, int millis) {
    String name = role + "-" + names++;
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx128m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  FaultProcess.class.getName(),
                  role,
                  url,
                  directory.resolve(name + ".history").toString(),
                  name,
                  Integer.toString(number),
                  Integer.toString(millis))
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve(name + ".log").toFile())
              .start();
      processes.add(process);
      histories.put(process, directory.resolve(name + ".history"));
      Path log = directory.resolve(name + ".log");
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.readString(log).contains(READY));
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a worker has been handed some messages. */
  void awaitDeliveries(Process worker) {
    Path history = histories.get(worker);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.readString(history).contains("HandedOver"));
  }

  /** Stops a process ({@code STOP}), or has it go on ({@code CONT}). */
  static void signal(Process process, String signal) throws InterruptedException {
    try {
      String pid = Long.toString(process.pid());
      assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until these have ended by themselves. */
  static void await(Process... ending) throws InterruptedException {
    for (Process process : ending) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
      assertThat(process.exitValue()).isZero();
    }
  }

  /**
   * Waits until the workers have settled everything that is left on the server at this URL, ends
   * them in order, and judges the run.
   */
  HistoryReport judge(String directUrl) {
    return judge(directUrl, Set.of());
  }

  /** Judges a run in which somebody wrote these ids into the queue behind its back. */
  HistoryReport judge(String directUrl, Set<String> foreign) {
    try (Recording recording = Recording.to(directory.resolve("judge.history"), "judge");
        Punctual punctual =
            Punctual.builder()
                .store(recording.store(RedisStore.builder().url(directUrl).open()))
                .listener(recording.listener())
                .build()) {
      TimedQueue<String> queue = recording.queue(punctual.queue(QUEUE, Codec.string()));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> isEmpty(queue.counts()));
      endInOrder();
      recording.inventory(queue);
    }
    HistoryReport report = History.read(files()).check();
    assertThat(report.breaches())
        .filteredOn(breach -> !foreign.contains(breach.id()))
        .as("%s", report)
        .isEmpty();
    assertThat(report.undecided()).as("%s", report).isEmpty();
    assertThat(report.buriedUnseen()).as("%s", report).isEqualTo(foreign.size());
    return report;
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() == 0;
  }

  private void endInOrder() {
    processes.forEach(Process::destroy);
    for (Process process : processes) {
      try {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private List<Path> files() {
    try (var files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".history")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
