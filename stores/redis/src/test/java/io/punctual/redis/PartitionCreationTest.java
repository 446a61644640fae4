package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.redis.client.request.Script;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the steps in which clients create the second partition of a queue, and crashes between
 * these steps.
 */
final class PartitionCreationTest {
  private static final PartitionKeys KEYS = new PartitionKeys("punctual", "q", 1);

  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    store = RedisStore.builder().url(redis.url()).open();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  private @Nullable String run(Script script, String... arguments) {
    List<byte[]> argv = Stream.of(arguments).map(argument -> argument.getBytes(UTF_8)).toList();
    byte[] answer =
        ReplyReader.read(
            await(store.deployment().run(script, KEYS.partition(), argv)), ReplyReader::nextBytes);
    return answer == null ? null : new String(answer, UTF_8);
  }

  private @Nullable String found(String step, String client) {
    return run(PartitionScripts.FOUND, "3", step, client, "", "", "");
  }

  private long secondsToLive() {
    return (Long) redis.ask("TTL", KEYS.meta());
  }

  /**
   * A deletion may have removed the first partition, so the first client must start again at the
   * first partition.
   */
  @Test
  void create_deletionAndAnotherClientBetweenTheSteps_beginsAgain() {
    assertThat(found("prepare", "first")).isEqualTo("3");
    assertThat(run(PartitionScripts.REMOVE, "", "deletion", "partition")).isEqualTo("N");
    assertThat(found("prepare", "second")).isEqualTo("3");
    assertThat(found("confirm", "first")).isNull();
    assertThat(found("confirm", "second")).isEqualTo("3");
  }

  @Test
  void create_severalClientsAtATime_oneCreatesItForAll() {
    assertThat(found("prepare", "first")).isEqualTo("3");
    assertThat(found("prepare", "second")).isEqualTo("3");
    assertThat(found("confirm", "first")).isEqualTo("3");
    assertThat(found("confirm", "second")).isEqualTo("3");
    assertThat(secondsToLive()).isEqualTo(-1);
    assertThat(redis.ask("HKEYS", KEYS.meta()))
        .isEqualTo(List.of("format", "partitions", "witness"));
  }

  @Test
  void create_clientCrashesAfterItsNote_noteExpires() {
    assertThat(found("prepare", "crashed")).isEqualTo("3");
    assertThat(secondsToLive()).isBetween(1L, 600L);
  }

  /**
   * If the clock was set back, a deletion keeps the last fencing token, so that no token is used
   * twice.
   */
  @Test
  void create_clientCrashesAfterItsNoteBesideAToken_bothExpireWhenTheClockHasPassedTheToken() {
    long inAMillionSeconds =
        TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + 1_000_000_000_000L;
    redis.ask("HSET", KEYS.meta(), "token", Long.toString(inAMillionSeconds));
    assertThat(found("prepare", "crashed")).isEqualTo("3");
    assertThat(secondsToLive()).isBetween(999_000L, 1_001_000L);
  }
}
