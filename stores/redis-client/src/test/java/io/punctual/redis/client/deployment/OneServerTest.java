package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.StoreRefusedException;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedLink;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a deployment behind a single address, without Sentinels. */
final class OneServerTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final RightsProbe RIGHTS =
      new RightsProbe(Scripts.of("return ''"), List.of("probe"));

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = Node.single(client.server(6379));
  private static final Durability REPLICA = new Durability(false, 1);

  private final List<CompletableFuture<Void>> ends = new ArrayList<>();

  private OneServer deployment(RedisSettings settings) {
    RedisURI uri = RedisURI.create("localhost", 6379);
    return new OneServer(client, uri, settings, timer, ends::add);
  }

  @Test
  void create_anyServer_connectsOnlyWhenItIsUsed() {
    OneServer deployment = deployment(Settings.plain());
    assertThat(server.connects()).isZero();
    deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    assertThat(server.connects()).isEqualTo(1);
    deployment.confirm(REPLICA, Witness.ofCall("s", 1));
    assertThat(server.connects()).isEqualTo(2);
    assertThat(deployment.link(KEY)).isSameAs(deployment.link("other".getBytes(UTF_8)));
  }

  @Test
  void confirm_replicaIsSilent_requestsAreAnsweredMeanwhile() {
    OneServer deployment = deployment(Settings.durable(REPLICA, Duration.ofHours(1)));
    server.answer("EVALSHA", Resp.number(1)).answer("GET", Resp.text("value"));
    CompletableFuture<?> confirmed = deployment.confirm(REPLICA, Witness.ofCall("s", 1));
    assertThat(server.requests()).last().isEqualTo("WAIT 1 3600000");
    CompletableFuture<RedisReply> reply =
        deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    assertThat(reply).isCompleted();
    assertThat(confirmed).isNotDone();
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

  /** Sends requests twice a second, and answers each with this error. */
  private void refuse(OneServer deployment, String error, Duration time) {
    for (long i = 0; i < time.toMillis() / 500; i++) {
      CompletableFuture<RedisReply> reply =
          deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
      timer.advance(Duration.ofMillis(500));
      if (!reply.isDone()) {
        server.link().reply(Resp.error(error));
      }
      assertThat(failureOf(reply)).isInstanceOf(RedisCallException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NOREPLICAS Not enough good replicas to write.",
        "MISCONF Errors writing to the AOF file",
        "LOADING Redis is loading the dataset in memory",
        "ERR Error running script: -NOREPLICAS Not enough good replicas to write."
      })
  void send_refusedForSeconds_connectsAnewToLookTheAddressUp(String error) {
    OneServer deployment = deployment(Settings.plain());
    refuse(deployment, error, Duration.ofSeconds(2));
    assertThat(server.connects()).isEqualTo(1);

    refuse(deployment, error, Duration.ofSeconds(3));

    assertThat(server.connects()).isEqualTo(2);
    assertThat(server.links().get(0).isOpen()).isFalse();
  }

  /** While slots move to other nodes, such replies come for minutes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "MOVED 1 127.0.0.1:7001",
        "ASK 1 127.0.0.1:7001",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "NOSCRIPT No matching script. Please use EVAL."
      })
  void send_healthyServerRefusesSingleRequests_keepsTheConnection(String error) {
    OneServer deployment = deployment(Settings.plain());
    for (int i = 0; i < 20; i++) {
      CompletableFuture<RedisReply> reply =
          deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
      server.link().reply(Resp.error(error));
      assertThat(reply).isCompletedExceptionally();
      timer.advance(Duration.ofMillis(500));
    }
    assertThat(server.connects()).isEqualTo(1);
  }

  @Test
  void send_refusedNowAndThen_keepsTheConnection() {
    OneServer deployment = deployment(Settings.plain());
    for (int i = 0; i < 5; i++) {
      refuse(deployment, "BUSY Redis is busy running a script", Duration.ofMillis(500));
      timer.advance(Duration.ofSeconds(30));
    }
    assertThat(server.connects()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"READONLY You can't write against a replica.", "MASTERDOWN Link is down"})
  void send_demotedServer_replacesAllConnections(String error) {
    OneServer deployment = deployment(Settings.plain());
    deployment.confirm(REPLICA, Witness.ofCall("s", 1));
    CompletableFuture<RedisReply> reply =
        deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    server.link().reply(Resp.error(error));

    assertThat(failureOf(reply)).isInstanceOf(RedisCallException.NotSent.class);
    assertThat(server.links()).noneMatch(ScriptedLink::isOpen);
  }

  @Test
  void send_errorOfTheProxyItself_mayHaveBeenDone() {
    OneServer deployment = deployment(Settings.proxy());
    CompletableFuture<RedisReply> reply =
        deployment.link(KEY).send(Request.of(CommandType.GET, "a"));
    server.link().reply(Resp.error("ERR handle response, backend conn reset"));
    assertThat(failureOf(reply)).isInstanceOf(RedisCallException.Unanswered.class);
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
