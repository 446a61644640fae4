package io.punctual.redisson;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.kit.kill.Role;
import io.punctual.kit.kill.Stage;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.time.Duration;

/**
 * Imports a queue of Redisson into a queue with the same name, in the same Redis. Follows the
 * source, and ends when the source has been quiet for a second.
 */
record ImportRole(String queue) implements Role {
  private static final int BATCH = 20;

  @Override
  public void play(Stage stage) {
    try (Punctual punctual = Punctual.open(stage.url())) {
      RedissonImport<String> importer =
          RedissonImport.from(stage.url())
              .queue(queue)
              .to(punctual.queue(queue, Codec.string()), RedissonPayloads.string())
              .lease(Duration.ofMillis(500))
              .batchSize(BATCH)
              .quietPeriod(Duration.ofSeconds(1))
              .follow(true);
      stage.ready().run();
      ImportReport report = importer.run();
      if (!report.isClean()) {
        throw new IllegalStateException(report.toString());
      }
    }
  }
}
