package io.punctual.migration.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests due times that Redisson does not write. */
final class UnusualScoreTest {
  @Test
  void infiniteScores_areReported_andNegativeScoresAreDue() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open("memory:")) {
      RedissonLayout layout = new RedissonLayout(redis, "q");
      String[] scores = {"inf", "1e300", "-inf", "-1e300", "-1", "1.5"};
      for (int i = 0; i < scores.length; i++) {
        layout.offer("random-" + i, scores[i], scores[i]);
      }
      TimedQueue<String> queue = punctual.queue("q", Codec.string());

      ImportReport report =
          RedissonImport.from(redis.url()).queue("q").to(queue, RedissonPayloads.string()).run();

      assertThat(report.left()).isEqualTo(2);
      assertThat(report.problems())
          .allSatisfy(problem -> assertThat(problem.reason()).startsWith("It is due after"));
      assertThat(queue.take(10, Duration.ofSeconds(30)))
          .extracting(Message::payload)
          .containsExactlyInAnyOrder("-inf", "-1e300", "-1", "1.5");
      assertThat(layout.size("punctual_import")).isEqualTo(2);
    }
  }
}
