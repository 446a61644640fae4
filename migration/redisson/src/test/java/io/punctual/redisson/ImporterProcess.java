package io.punctual.redisson;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An importer in a separate process, which can be killed. */
final class ImporterProcess implements AutoCloseable {
  private static final String BEGUN = "begun";
  private static final int BATCH = 20;

  private final Process process;
  private final BufferedReader output;

  private ImporterProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Runs in the process. The arguments are the URL of Redis, which is both the source and the
   * store, and the name of both queues.
   */
  public static void main(String... args) {
    try (Punctual punctual = Punctual.open(args[0])) {
      RedissonImport<String> importer =
          RedissonImport.from(args[0])
              .queue(args[1])
              .to(punctual.queue(args[1], Codec.string()), RedissonPayloads.string())
              .lease(Duration.ofMillis(500))
              .batchSize(BATCH)
              .quietPeriod(Duration.ofSeconds(1))
              .follow(true);
      System.out.println(BEGUN);
      ImportReport report = importer.run();
      System.out.println(report);
      System.exit(report.isClean() ? 0 : 1);
    }
  }

  /** Starts a process, and returns when it begins to import. */
  static ImporterProcess start(String url, String queue, Path log) throws IOException {
    ImporterProcess started =
        new ImporterProcess(
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xshare:auto",
                    "-Xmx96m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ImporterProcess.class.getName(),
                    url,
                    queue)
                .redirectError(new File(log.toString()))
                .start());
    String line = started.output.readLine();
    if (!BEGUN.equals(line)) {
      throw new IOException("The importer did not begin, but wrote " + line + "; see " + log);
    }
    return started;
  }

  /** Waits for a time, and kills the process. */
  void killAfter(Duration delay) throws InterruptedException {
    boolean ended = process.waitFor(delay.toMillis(), TimeUnit.MILLISECONDS);
    if (ended) {
      throw new IllegalStateException("The importer ended by itself: " + process.exitValue());
    }
    close();
  }

  /** Waits for the end of the process, and returns its exit code and its report. */
  String awaitEnd() throws IOException, InterruptedException {
    String report = output.readLine();
    boolean ended = process.waitFor(2, TimeUnit.MINUTES);
    return (ended ? process.exitValue() : -1) + " " + report;
  }

  /** Kills the process, if it still runs. */
  @Override
  public void close() throws InterruptedException {
    int unused = process.destroyForcibly().waitFor();
  }
}
