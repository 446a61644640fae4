package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.contract.StoreContract;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Runs the contract of a store, on a server of its own, or on the deployment that the system
 * property {@code punctual.redis.url} names. On a given deployment it uses a namespace of its own,
 * whose queues it deletes at the end.
 */
final class RedisStoreContractTest extends StoreContract {
  private static final String GIVEN = System.getProperty("punctual.redis.url", "");

  private final String namespace = "contract-" + UUID.randomUUID();
  private RedisProcess redis;

  @BeforeAll
  void startRedis() {
    if (GIVEN.isEmpty()) {
      redis = RedisProcess.sharedAndEmpty();
    }
  }

  @AfterAll
  void stopRedis() {
    try (Punctual punctual = Punctual.builder().store(openStore()).build()) {
      for (String name : punctual.queues()) {
        punctual.purgeAndDeleteQueue(name);
      }
    }
    if (redis != null) {
      // The store forgets what operators ask of workers after ten minutes. Closing a client only
      // sends
      // the end of its sessions, without waiting for the reply.
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat((List<?>) redis.ask("KEYS", "*"))
                      .as("the keys that the tests leave behind")
                      .allSatisfy(
                          key -> assertThat(key.toString()).startsWith("{punctual:workers}:")));
    }
  }

  @Override
  protected Store openStore() {
    RedisStoreBuilder patient = patient(RedisStore.builder());
    return redis == null
        ? patient.url(GIVEN).namespace(namespace).open()
        : patient.url(redis.url()).open();
  }

  /** Waits for a slow server, because the tests of a partition do not repeat their requests. */
  static RedisStoreBuilder patient(RedisStoreBuilder builder) {
    return builder.commandTimeout(Duration.ofMinutes(1)).connectTimeout(Duration.ofMinutes(1));
  }
}
