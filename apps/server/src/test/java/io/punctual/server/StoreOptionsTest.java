package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.server.config.ConfigException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the options of clients in the URL of the server's store. */
final class StoreOptionsTest {
  @TempDir private Path folder;

  /** Without the option, the answer takes a minute. */
  @Test
  @Timeout(value = 50, unit = TimeUnit.SECONDS)
  void operationTimeout_isTheTimeOfOperationsOfTheApi() {
    try (RedisProcess redis = RedisProcess.start();
        TestServer server =
            TestServer.start(
                folder, redis.url() + "?operationTimeout=300ms&blockingTimeout=5s", "")) {
      assertThat(schedule(server)).isEqualTo(201);
      redis.close();
      assertThat(schedule(server)).isIn(503, 504);
    }
  }

  private static int schedule(TestServer server) {
    return server
        .send(
            "POST",
            "/v1/queues/orders/messages",
            "{\"payload\":1,\"delay\":\"1h\"}",
            "Content-Type",
            "application/json")
        .statusCode();
  }

  @Test
  void wrongOption_isToldWithTheRemedy() {
    assertThatThrownBy(() -> TestServer.start(folder, "memory:?operationTimeout=soon", ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("operationTimeout must be a number with ms, s, m or h");
    assertThatThrownBy(() -> TestServer.start(folder, "memory:?operationTimeOut=5s", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operationTimeOut")
        .hasMessageContaining("operationTimeout");
  }
}
