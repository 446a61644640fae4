package io.punctual.redis.client;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.punctual.Durability;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.deployment.RightsProbe;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedLink;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests how options open and close a deployment. */
final class RedisOptionsTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final RightsProbe RIGHTS =
      new RightsProbe(Scripts.of("return ''"), List.of("probe"));

  private final ManualTimer timer = new ManualTimer().skip(Duration.ofMillis(10));
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = Node.single(client.server(6379));

  private RedisOptions options(String url) {
    RedisOptions options = new RedisOptions();
    options.url(StoreUrl.parse(url));
    options.timer(timer);
    return options;
  }

  private Deployment open(String url) {
    return options(url).open(client, RIGHTS, () -> CompletableFuture.completedFuture(null));
  }

  @Test
  void open_allOptionsOfTheUrl_areSettings() {
    String options =
        "?namespace=shop&durability=replicas:2&durabilityTimeout=700ms&timeout=3s"
            + "&connectTimeout=4s&requestQueue=50&allowEviction=true&partitions=9";
    server.answer("WAIT", Resp.number(0));
    Deployment deployment = open("redis://:pw@localhost/1" + options);
    assertThat(deployment.settings())
        .isEqualTo(
            new RedisSettings(
                "redis://localhost:6379/1",
                "shop",
                new Durability(false, 2),
                Duration.ofMillis(700),
                Duration.ofSeconds(3),
                Duration.ofSeconds(4),
                50,
                true,
                false,
                9));
    assertThat(deployment.describe()).isEqualTo("redis://localhost:6379/1");
    assertThat(deployment.timer()).isSameAs(timer);
  }

  @Test
  void open_libraryOptions_neverSendARequestTwice() {
    open("redis://localhost?connectTimeout=4s");
    ClientOptions used = client.getOptions();
    assertThat(used.isAutoReconnect()).isFalse();
    assertThat(used.getDisconnectedBehavior())
        .isEqualTo(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
    assertThat(used.getReplayFilter().test(null)).isTrue();
    assertThat(used.getProtocolVersion()).isEqualTo(ProtocolVersion.RESP2);
    assertThat(used.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofSeconds(4));
    assertThat(used.getSocketOptions().isKeepAlive()).isTrue();
  }

  /** Lettuce then needs threads of LatencyUtils, which wake a hundred times a second. */
  @Test
  void newResources_recordNoLatencyOfCommands() throws Exception {
    ClientResources resources = RedisOptions.newResources();
    try {
      assertThat(resources.commandLatencyRecorder().isEnabled()).isFalse();
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).get();
    }
  }

  @Test
  void open_server_checksTheRights() {
    Deployment deployment = open("redis://localhost");
    assertThat(server.requests()).startsWith("INFO server");
    assertThat(server.requests()).anyMatch(request -> request.startsWith("EVALSHA"));
    assertThat(deployment.isOneServer()).isTrue();
    assertThat(deployment.hasFailOver()).isFalse();
  }

  @Test
  void open_proxy_onlyPings() {
    Deployment deployment = open("redis://localhost?proxy=true");
    assertThat(server.requests()).containsExactly("PING");
    assertThat(deployment.hasChannels()).isFalse();
  }

  @Test
  void open_proxyWithADurability_isRefusedBeforeConnecting() {
    RedisOptions options = options("redis://localhost?proxy=true&durability=replicas:1");
    assertThatThrownBy(() -> options.open(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("behind a proxy there is no durability");
    assertThat(server.connects()).isZero();
  }

  @Test
  void open_cluster_asksItsNodes() {
    Node.clustered(client.server(7001))
        .answer("CLUSTER SLOTS", Resp.slots(Resp.range(0, 16383, "10.0.0.1", 7001)));
    Deployment deployment = open("redis-cluster://10.0.0.1:7001,10.0.0.2:7002");
    assertThat(deployment.isOneServer()).isFalse();
    assertThat(deployment.hasFailOver()).isTrue();
    assertThat(deployment.hasShardedChannels()).isTrue();
    assertThat(deployment.describe()).isEqualTo("redis-cluster://10.0.0.1:7001,10.0.0.2:7002");
  }

  @Test
  void open_sentinels_watchesEachOfThem() {
    client.primary(server);
    Deployment deployment = open("redis-sentinel://10.0.0.1,10.0.0.2:7000/main");
    assertThat(client.server(26379).requests()).containsExactly("SUBSCRIBE +switch-master");
    assertThat(client.server(7000).requests()).containsExactly("SUBSCRIBE +switch-master");
    assertThat(deployment.hasFailOver()).isTrue();
  }

  @Test
  void open_refusedServer_endsAllConnectionsAndTheLibrary() {
    server.answer("INFO replication", Resp.info("role:slave"));
    assertThatThrownBy(() -> open("redis://localhost")).isInstanceOf(StoreRefusedException.class);
    assertThat(server.links()).noneMatch(ScriptedLink::isOpen);
    assertThat(client.isShutDown()).isTrue();
  }

  @Test
  void open_noServer_endsTheLibrary() {
    server.refuse();
    assertThatThrownBy(() -> open("redis://localhost"))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(client.isShutDown()).isTrue();
  }

  @Test
  void close_requestsInFlight_areUnansweredAndTheLibraryEnds() {
    Deployment deployment = open("redis://localhost");
    CompletableFuture<RedisReply> inFlight =
        deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    deployment.close();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(client.isShutDown()).isTrue();
    assertThat(failureOf(deployment.link(KEY).send(Request.of(CommandType.GET, "b"))))
        .isInstanceOf(RedisCallException.NotSent.class);
  }

  @Test
  void uri_afterACluster_selectsTheServer() {
    RedisOptions options = options("redis-cluster://10.0.0.1:7001");
    options.url(StoreUrl.parse("redis://localhost"));
    assertThat(
            options
                .open(client, RIGHTS, () -> CompletableFuture.completedFuture(null))
                .isOneServer())
        .isTrue();
  }
}
