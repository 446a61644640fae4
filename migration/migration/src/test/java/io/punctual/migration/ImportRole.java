package io.punctual.migration;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.kill.Role;
import io.punctual.kit.kill.Stage;
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
 * Imports from an old queue.
 *
 * @param layout the name of the layout
 * @param source the URL of the old queue
 * @param follow whether the importer follows the source until it is killed
 */
record ImportRole(String layout, String source, boolean follow) implements Role {
  /**
   * The lease of an importer. It is shorter than the start of a process, so that no process waits
   * for the lease of a killed process.
   */
  private static final Duration LEASE = Duration.ofMillis(100);

  private static final int BATCH = 7;

  @Override
  public void play(Stage stage) {
    try (Punctual punctual = Punctual.open(stage.url())) {
      Importer<?, ?> importer =
          importer(punctual.queue("orders", Codec.bytes())).batchSize(BATCH).follow(follow);
      stage.ready().run();
      System.out.println(importer.run());
    }
  }

  private Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    return switch (layout) {
      case "JOBS" ->
          ZsetImport.from(source, "delay", ScoreUnit.MILLISECONDS)
              .to(queue)
              .jobs("jobs")
              .lease(LEASE);
      case "WAIT_AND_ACTIVE" ->
          ZsetImport.from(source, "delay:wait:orders", ScoreUnit.SECONDS)
              .to(queue)
              .ready("delay:active:orders")
              .id(IdSource.field("id"))
              .lease(LEASE);
      case "DELAY_TABLE" -> DelayTableImport.from(source, "shop", "orders").to(queue).lease(LEASE);
      case "RQUEUE" -> RqueueImport.from(source, "orders").to(queue).dataVersion(2).lease(LEASE);
      case "DB_SCHEDULER" -> DbSchedulerImport.from(source, "close-order").to(queue);
      case "QUARTZ" ->
          QuartzImport.from(source, "DEFAULT").to(queue, QuartzPayloads.jsonOfSerialized());
      default -> throw new IllegalArgumentException(layout);
    };
  }
}
