package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a server shows to Prometheus. */
class MetricsTest {
  @TempDir private Path folder;

  @Test
  void queueWithoutAnyWorker_hasGauges() {
    try (TestServer server = TestServer.start(folder, "")) {
      server.send(
          "POST",
          "/v1/queues/mail/messages",
          "{\"payload\": 1}",
          "Content-Type",
          "application/json");
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () ->
                  assertThat(server.get("/metrics").body())
                      .contains("punctual_queue_messages{queue=\"mail\",state=\"ready\"} 1.0")
                      .contains("punctual_queue_overdue_age_seconds{queue=\"mail\"}")
                      .doesNotContain("punctual_queue_messages{queue=\"punctual.server."));
    }
  }
}
