package io.punctual.redis.client.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.punctual.Durability;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.connection.NodeIdentity;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.ServerConnections;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which servers a client refuses, and with which exception and remedy. */
final class ServerCheckTest {
  private static final RightsProbe RIGHTS =
      new RightsProbe(Scripts.of("return ''"), List.of("probe"));

  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = Node.single(client.server(6379));

  private ServerCheck check(RedisSettings settings) {
    ServerConnections connections =
        new ServerConnections(
            client,
            RedisURI.create("localhost", 6379),
            settings,
            new ManualTimer().skip(Duration.ofMillis(10)),
            NodeIdentity.ANY,
            () -> false,
            failure -> {});
    return new ServerCheck("the server", settings, connections.main(), key -> true, RIGHTS);
  }

  private void assertRefused(RedisSettings settings, String... parts) {
    assertThatThrownBy(() -> check(settings).run())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll(parts);
  }

  private void assertRightsRefused(String... parts) {
    assertThatThrownBy(() -> check(Settings.plain()).checkRights())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void run_usableServer_returnsItsProperties() {
    assertThat(check(Settings.plain()).run()).isEqualTo(new ServerCheck.Found(7, false));
  }

  @ParameterizedTest
  @CsvSource({"6.2.0,6,false", "7.0.15,7,true", "8.0.0,8,true", "10.1.0,10,true"})
  void run_supportedVersion_tellsWhetherChannelsBelongToSlots(
      String version, int major, boolean sharded) {
    Node.primary(server, version, "cluster");
    ServerCheck.Found found = check(Settings.plain()).run();
    assertThat(found).isEqualTo(new ServerCheck.Found(major, true));
    assertThat(found.hasShardedChannels()).isEqualTo(sharded);
  }

  @Test
  void run_valkeyNamesItsModeDifferently_isFoundToBeAClusterNode() {
    server.answer(
        "INFO server",
        Resp.info("redis_version:7.2.4", "valkey_version:8.1.0", "server_mode:cluster"));
    assertThat(check(Settings.plain()).run().isClusterNode()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.0.14", "6.0.16", "6.1.0", "2.8.24"})
  void run_oldVersion_isRefusedWithTheVersionNeeded(String version) {
    Node.primary(server, version, "standalone");
    String shown = version.substring(0, version.lastIndexOf('.'));
    assertRefused(Settings.plain(), "is Redis " + shown, "needs Redis 6.2 or newer");
  }

  @Test
  void run_noVersion_isRefused() {
    server.answer("INFO server", Resp.info("server_name:other"));
    assertRefused(Settings.plain(), "does not tell its version");
  }

  @Test
  void run_replica_isRefusedAndNamesTheRemedy() {
    server.answer("INFO replication", Resp.info("role:slave", "master_host:10.0.0.1"));
    assertRefused(Settings.plain(), "is a replica", "name its primary in the URL");
    assertThat(check(Settings.plain()).isReplica()).isTrue();
  }

  @Test
  void run_serverEvicts_isRefusedUnlessAllowed() {
    server.answer("INFO memory", Resp.info("maxmemory_policy:allkeys-lru"));
    assertRefused(Settings.plain(), "'allkeys-lru'", "noeviction", "allowEviction=true");
    assertThat(check(Settings.evicting()).run().major()).isEqualTo(7);
  }

  @Test
  void run_replicaDurabilityWithoutTheRight_isRefused() {
    server.answer("WAIT", Resp.error("NOPERM this user has no permissions to run 'wait'"));
    RedisSettings durable = Settings.durable(new Durability(false, 1), Duration.ofSeconds(1));
    assertRefused(durable, "durability replicas:1", "NOPERM", "ACL rights");
  }

  @Test
  void run_replicaDurability_needsNoReplicaToOpen() {
    server.answer("WAIT", Resp.number(0));
    RedisSettings durable = Settings.durable(new Durability(false, 1), Duration.ofSeconds(1));
    assertThat(check(durable).run().major()).isEqualTo(7);
  }

  @Test
  void run_diskDurabilityOnAnOldServer_isRefusedWithARemedy() {
    server.answer("EVAL ", Resp.number(1)).answer("WAITAOF", Resp.error("ERR unknown command"));
    RedisSettings durable = Settings.durable(new Durability(true, 0), Duration.ofSeconds(1));
    assertRefused(durable, "cannot be used with durability=", "Redis 7.2.4", "too old for WAITAOF");
  }

  @Test
  void run_noServer_isUnavailable() {
    server.refuse();
    assertThatThrownBy(() -> check(Settings.plain()).run())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContainingAll("the server can't be used", "Unable to connect");
  }

  @Test
  void run_serverLoadsItsData_isUnavailable() {
    server.answer("INFO server", Resp.error("LOADING Redis is loading the dataset in memory"));
    assertThatThrownBy(() -> check(Settings.plain()).run())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("LOADING");
  }

  @Test
  void run_silentServer_isUnavailableAfterTheTimeouts() {
    server.leave("INFO server");
    assertThatThrownBy(() -> check(Settings.hasty(Duration.ofMillis(20))).run())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContainingAll("did not answer within 40 ms", "is it running?");
  }

  @Test
  void run_wrongPassword_isRefusedAndHidesTheInternalException() {
    server.refuse(
        new RedisConnectionException(
            "Unable to connect",
            new RedisCommandExecutionException("WRONGPASS invalid username-password pair")));
    assertThatThrownBy(() -> check(Settings.plain()).run())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("WRONGPASS")
        .satisfies(e -> assertNoInternalException(e));
  }

  @Test
  void run_missingPassword_isRefusedAndNamesTheRemedy() {
    server.refuse(
        new RedisConnectionException(
            "Unable to connect",
            new RedisCommandExecutionException("NOAUTH Authentication required.")));
    assertRefused(Settings.plain(), "NOAUTH", "redis://:PASSWORD@host:6379");
  }

  private static void assertNoInternalException(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      assertThat(each).isNotInstanceOf(RedisCallException.class);
    }
  }

  @Test
  void run_notSentAtFirst_isSentOnceMore() {
    server.answer("INFO server", Resp.error("LOADING Redis is loading the dataset in memory"));
    assertThatThrownBy(() -> check(Settings.plain()).run())
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(server.requests()).containsExactly("INFO server", "INFO server");
  }

  @Test
  void run_unansweredAtFirst_isNotSentAgain() {
    server.answer("INFO server", Resp.error("ERR Connection reset by peer"));
    assertThatThrownBy(() -> check(Settings.plain()).run())
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(server.requests()).containsExactly("INFO server");
  }

  @Test
  void ping_proxyAnswers_asksNothingElse() {
    check(Settings.proxy()).ping();
    assertThat(server.requests()).containsExactly("PING");
  }

  @Test
  void checkRights_allGranted_passes() {
    check(Settings.plain()).checkRights();
    assertThat(server.requests())
        .singleElement()
        .asString()
        .matches("EVALSHA [0-9a-f]{40} 1 \\{punctual:probe:[0-9a-f-]{36}}:probe");
  }

  @Test
  void checkRights_commandsAreRefused_namesThem() {
    server.answer("EVALSHA", Resp.text("ZREM HDEL"));
    assertRightsRefused("the server", "no right to run ZREM HDEL", "ACL rights");
  }

  @Test
  void checkRights_mayNotRunScripts_isRefused() {
    server.answer("EVALSHA", Resp.error("NOPERM this user has no permissions to run 'evalsha'"));
    assertRightsRefused("NOPERM", "ACL rights");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NOPERM this user has no permissions to access one of the keys used as arguments",
        "NOPERM No permissions to access a key"
      })
  void checkRights_onlySomeKeysAllowed_passes(String error) {
    server.answer("EVALSHA", Resp.error(error));
    check(Settings.plain()).checkRights();
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void checkRights_serverLoadsItsData_isUnavailable() {
    server.answer("EVALSHA", Resp.error("LOADING Redis is loading the dataset in memory"));
    assertThatThrownBy(() -> check(Settings.plain()).checkRights())
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void checkRights_serverServesNoSlot_isUnavailable() {
    ServerCheck check =
        new ServerCheck(
            "the server",
            Settings.plain(),
            new ServerConnections(
                    client,
                    RedisURI.create("localhost", 6379),
                    Settings.plain(),
                    new ManualTimer(),
                    NodeIdentity.ANY,
                    () -> false,
                    failure -> {})
                .main(),
            key -> false,
            RIGHTS);
    assertThatThrownBy(check::checkRights)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("serves no slot");
  }
}
