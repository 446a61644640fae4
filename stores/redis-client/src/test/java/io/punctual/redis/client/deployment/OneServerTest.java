package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.StoreRefusedException;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests a deployment behind a single address, without Sentinels. */
final class OneServerTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final RightsProbe RIGHTS =
      new RightsProbe(Scripts.of("return ''"), List.of("probe"));

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = Node.single(client.server(6379));
  private final List<CompletableFuture<Void>> ends = new ArrayList<>();

  private OneServer deployment(RedisSettings settings) {
    RedisURI uri = RedisURI.create("localhost", 6379);
    return new OneServer(client, uri, settings, timer, List.of(), ends::add);
  }

  @Test
  void create_anyServer_connectsOnlyWhenItIsUsed() {
    OneServer deployment = deployment(Settings.plain());
    assertThat(server.connects()).isZero();
    deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    assertThat(server.connects()).isEqualTo(1);
    deployment.durable(KEY).send(Request.of(CommandType.GET, "b"));
    assertThat(server.connects()).isEqualTo(2);
    assertThat(deployment.link(KEY)).isSameAs(deployment.link("other".getBytes(UTF_8)));
  }

  @Test
  void check_clusterNode_isRefusedAndNamesTheRemedy() {
    Node.clustered(server);
    assertThatThrownBy(() -> deployment(Settings.plain()).check(RIGHTS))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll("is a node of a Cluster", "redis-cluster://host:port");
  }

  @Test
  void check_missingRight_isRefused() {
    server.answer("EVALSHA", Resp.text("ZREM"));
    assertThatThrownBy(() -> deployment(Settings.plain()).check(RIGHTS))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("ZREM");
  }

  @Test
  void check_serverLoadsItsDataAndRunsNoScript_opensNevertheless() {
    server.answer("EVALSHA", Resp.error("LOADING Redis is loading the dataset in memory"));
    OneServer deployment = deployment(Settings.plain());
    deployment.check(RIGHTS);
    assertThat(server.requests()).anyMatch(request -> request.startsWith("EVALSHA"));
    assertThat(server.link().isOpen()).isTrue();
  }

  @Test
  void check_proxy_onlyPings() {
    OneServer deployment = deployment(Settings.proxy());
    deployment.check(RIGHTS);
    assertThat(server.requests()).containsExactly("PING");
    assertThat(deployment.isOneServer()).isFalse();
    assertThat(deployment.hasChannels()).isFalse();
  }

  @Test
  void subscribe_proxy_neitherConnectsNorBegins() {
    List<String> seen = new ArrayList<>();
    Subscriber subscriber =
        new Subscriber() {
          @Override
          public void begun() {
            seen.add("begun");
          }

          @Override
          public void message(byte[] message) {
            seen.add("message");
          }
        };
    deployment(Settings.proxy()).subscribe("c", subscriber).close();
    assertThat(server.connects()).isZero();
    assertThat(seen).isEmpty();
  }

  @Test
  void close_requestsInFlight_areUnansweredAndLaterRequestsNotSent() {
    OneServer deployment = deployment(Settings.plain());
    CompletableFuture<RedisReply> inFlight =
        deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    deployment.close();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(failureOf(deployment.link(KEY).send(Request.of(CommandType.GET, "b"))))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("has been closed");
    assertThat(ends).singleElement().satisfies(end -> assertThat(end).isCompleted());
  }

  @Test
  void close_connecting_endsOnlyWithTheLateConnection() {
    OneServer deployment = deployment(Settings.plain());
    server.hold();
    deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    deployment.close();
    assertThat(ends.get(0)).isNotDone();
    server.attempt().accept();
    assertThat(ends.get(0)).isCompleted();
    timer.advance(Duration.ofMinutes(1));
    assertThat(server.connects()).isEqualTo(1);
  }
}
