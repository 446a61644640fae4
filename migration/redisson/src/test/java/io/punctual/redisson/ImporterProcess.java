package io.punctual.redisson;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.process.JavaProcess;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** An importer in a separate process, which can be killed. */
final class ImporterProcess implements AutoCloseable {
  private static final String BEGUN = "begun";
  private static final int BATCH = 20;

  private final JavaProcess process;

  private ImporterProcess(JavaProcess process) {
    this.process = process;
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
  static ImporterProcess start(String url, String queue) {
    return new ImporterProcess(
        JavaProcess.of(ImporterProcess.class).small().arguments(url, queue).ready(BEGUN).start());
  }

  /** Waits for a time, and kills the process. */
  void killAfter(Duration delay) {
    LockSupport.parkNanos(delay.toNanos());
    process.expectAlive();
    process.kill();
  }

  /** Waits for the end of the process. Fails if the report of the import is not clean. */
  void expectCleanEnd() {
    process.expectSuccess();
  }

  /** Kills the process, if it still runs. */
  @Override
  public void close() {
    process.kill();
  }
}
