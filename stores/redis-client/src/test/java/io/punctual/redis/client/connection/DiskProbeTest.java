package io.punctual.redis.client.connection;

import static io.punctual.redis.client.scripted.Outcome.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.punctual.Durability;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests which servers' confirmations of the disk are trusted. */
final class DiskProbeTest {
  private static final Durability DISK = new Durability(true, 0);
  private static final String IDLE = Resp.info("aof_buffer_length:0", "aof_pending_bio_fsync:0");
  private static final String CONFIRMED = counts(1, 0);
  private static final String NOT_YET = counts(0, 0);

  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server =
      client
          .server(6379)
          .answer("EVAL ", Resp.number(1))
          .answer("INFO persistence", IDLE)
          .answer("INFO server", Resp.info("redis_version:8.0.1"));
  private final Connection connection =
      new Connection(
          client
              .connectAsync(ByteArrayCodec.INSTANCE, RedisURI.create("localhost", 6379))
              .toCompletableFuture()
              .join(),
          Settings.durable(DISK, Duration.ofSeconds(3)),
          new ManualTimer());

  private static String counts(long disk, long replicas) {
    return Resp.list(Resp.number(disk), Resp.number(replicas));
  }

  private ScriptedServer policy(String policy) {
    return server.answer(
        "CONFIG GET appendfsync", Resp.list(Resp.text("appendfsync"), Resp.text(policy)));
  }

  private CompletableFuture<String> ask() {
    return connection.confirmation().ask(DISK, "k");
  }

  @Test
  void ask_serverWaitsForItsFsync_isTrustedAndAskedOnce() {
    policy("everysec").answer("WAITAOF 1 0 20", NOT_YET).answer("WAITAOF 1 0 3000", CONFIRMED);
    assertThat(ask()).isCompletedWithValue(null);
    int probed = server.requests().size();
    assertThat(ask()).isCompletedWithValue(null);
    assertThat(server.requests()).hasSize(probed + 1).last().isEqualTo("WAITAOF 1 0 3000");
  }

  @Test
  void ask_diskDoesNotConfirmInTime_namesTheTime() {
    policy("everysec").answer("WAITAOF", NOT_YET);
    assertThat(resultOf(ask()))
        .contains("disk did not confirm within 3000 ms", "durabilityTimeout");
  }

  @Test
  void ask_confirmsEachChangeAtOnce_isNotTrusted() {
    policy("everysec").answer("WAITAOF", CONFIRMED);
    assertThat(resultOf(ask())).contains("Redis 8.0.1 confirms changes that are not on its disk");
    assertThat(server.requests()).filteredOn(r -> r.startsWith("EVAL ")).hasSize(5);
    assertThat(server.requests()).doesNotContain("WAITAOF 1 0 3000");
  }

  @Test
  void ask_confirmsAtOnceWithFsyncAlways_isTrusted() {
    policy("always").answer("WAITAOF", CONFIRMED);
    assertThat(ask()).isCompletedWithValue(null);
  }

  @Test
  void ask_neverForcesToDisk_isNotTrusted() {
    policy("no").answer("WAITAOF", NOT_YET);
    assertThat(resultOf(ask())).contains("appendfsync is 'no'");
  }

  @Test
  void ask_mayNotReadThePolicy_isNotTrustedAndNamesTheRight() {
    server
        .answer("CONFIG", Resp.error("NOPERM no right to run 'config|get'"))
        .answer("WAITAOF", CONFIRMED);
    assertThat(resultOf(ask())).contains("grant +config|get");
  }

  @Test
  void ask_serverIsTooOld_namesTheRemedy() {
    server.answer("WAITAOF", Resp.error("ERR unknown command 'WAITAOF'"));
    assertThat(resultOf(ask())).contains("Redis 8.0.1", "too old for WAITAOF");
  }

  @Test
  void ask_valkey_isNamedByItsOwnVersion() {
    server.answer("INFO server", Resp.info("redis_version:7.2.4", "valkey_version:8.1.0"));
    server.answer("WAITAOF", Resp.error("ERR unknown command 'WAITAOF'"));
    assertThat(resultOf(ask())).contains("Valkey 8.1.0").doesNotContain("Redis 7.2.4");
  }

  @Test
  void ask_distrustedBefore_isNotProbedAgainAtOnce() {
    policy("no").answer("WAITAOF", NOT_YET);
    resultOf(ask());
    int probed = server.requests().size();
    assertThat(resultOf(ask())).contains("appendfsync is 'no'");
    assertThat(server.requests()).hasSize(probed);
  }

  @Test
  void ask_pendingFsync_doesNotCountAsSilence() {
    policy("everysec").answer("WAITAOF", NOT_YET);
    server.leave("INFO persistence");
    CompletableFuture<String> answer = ask();
    for (int i = 0; i < 6; i++) {
      server.link().reply(Resp.info("aof_buffer_length:0", "aof_pending_bio_fsync:1"));
    }
    assertThat(server.requests()).doesNotContain("CONFIG GET appendfsync");
    for (int i = 0; i < 3; i++) {
      server.link().reply(IDLE);
    }
    assertThat(server.requests()).contains("CONFIG GET appendfsync");
    assertThat(resultOf(answer)).contains("within 3000 ms");
  }

  @Test
  void ask_connectionLost_failsInsteadOfADistrust() {
    CompletableFuture<String> answer = ask();
    server.link().lose();
    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void ask_replicasToo_countsBoth() {
    Durability both = new Durability(true, 1);
    policy("always").answer("WAITAOF", CONFIRMED);
    assertThat(resultOf(connection.confirmation().ask(both, "k")))
        .isEqualTo("0 of 1 replicas confirmed within 3000 ms");
    assertThat(server.requests()).last().isEqualTo("WAITAOF 1 1 3000");
  }
}
