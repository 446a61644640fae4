package io.punctual.migration;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.migration.redis.DelayTableImport;
import io.punctual.migration.redis.IdSource;
import io.punctual.migration.redis.RqueueImport;
import io.punctual.migration.redis.ScoreUnit;
import io.punctual.migration.redis.ZsetImport;
import io.punctual.migration.sql.DbSchedulerImport;
import io.punctual.migration.sql.QuartzImport;
import io.punctual.migration.sql.QuartzPayloads;
import java.time.Duration;

/**
 * A process that imports. Its arguments are the layout, the source, the store, and whether it
 * follows the source until it is killed.
 */
final class KilledImporter {
  /**
   * The lease of an importer. It is shorter than the start of a process, so that no process waits
   * for the lease of a killed process.
   */
  private static final Duration LEASE = Duration.ofMillis(100);

  private static final int BATCH = 7;

  private KilledImporter() {}

  public static void main(String[] args) {
    try (Punctual punctual = Punctual.open(args[2])) {
      TimedQueue<byte[]> queue = punctual.queue("orders", Codec.bytes());
      Importer<?> importer =
          importer(args[0], args[1], queue).batchSize(BATCH).follow(Boolean.parseBoolean(args[3]));
      System.out.println("running");
      ImportReport report = importer.run();
      System.out.println("ended " + report);
    }
  }

  private static Importer<?> importer(String layout, String url, TimedQueue<byte[]> queue) {
    return switch (layout) {
      case "JOBS" ->
          ZsetImport.from(url, "delay", ScoreUnit.MILLISECONDS).to(queue).jobs("jobs").lease(LEASE);
      case "WAIT_AND_ACTIVE" ->
          ZsetImport.from(url, "delay:wait:orders", ScoreUnit.SECONDS)
              .to(queue)
              .ready("delay:active:orders")
              .id(IdSource.field("id"))
              .lease(LEASE);
      case "DELAY_TABLE" -> DelayTableImport.from(url, "shop", "orders").to(queue).lease(LEASE);
      case "RQUEUE" -> RqueueImport.from(url, "orders").to(queue).dataVersion(2).lease(LEASE);
      case "DB_SCHEDULER" -> DbSchedulerImport.from(url, "close-order").to(queue);
      case "QUARTZ" ->
          QuartzImport.from(url, "DEFAULT").to(queue, QuartzPayloads.jsonOfSerialized());
      default -> throw new IllegalArgumentException(layout);
    };
  }
}
