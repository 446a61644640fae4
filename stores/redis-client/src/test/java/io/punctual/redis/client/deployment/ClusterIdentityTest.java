package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.deployment.ClusterFixture.HALF;
import static io.punctual.redis.client.deployment.ClusterFixture.HIGH;
import static io.punctual.redis.client.deployment.ClusterFixture.LAST;
import static io.punctual.redis.client.deployment.ClusterFixture.LOW;
import static io.punctual.redis.client.deployment.ClusterFixture.range;
import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Addresses of the Cluster that now belong to a different Cluster. */
final class ClusterIdentityTest {
  private final ClusterFixture nodes = new ClusterFixture().open();

  /** Lets a node of a different Cluster, which serves all slots, take the address of a node. */
  private void takeOver(ScriptedServer node, int port) {
    node.kill();
    node.answer("CLUSTER MYID", Resp.text("foreign" + port));
    String myself =
        Resp.list(
            Resp.text("10.0.0." + (port - 7000)), Resp.number(port), Resp.text("foreign" + port));
    node.answer("CLUSTER SLOTS", Resp.slots(Resp.list(Resp.number(0), Resp.number(LAST), myself)));
    node.accept();
  }

  /**
   * Sends requests until one reaches one of these nodes. The pauses between connections, and which
   * node is asked for the map first, are random.
   */
  private void awaitGet(ScriptedServer... any) {
    for (int i = 0; i < 60 && gets(any).isEmpty(); i++) {
      nodes.get(LOW);
      nodes.timer.advance(Duration.ofSeconds(1));
    }
    assertThat(gets(any)).contains("GET " + LOW);
  }

  private static List<String> gets(ScriptedServer... any) {
    return Stream.of(any).map(ClusterFixture::gets).flatMap(List::stream).toList();
  }

  @Test
  void send_addressBelongsToAForeignNode_sendsNothingThereAndFindsTheNode() {
    nodes.three.answer("CLUSTER SLOTS", Resp.slots(range(0, LAST, 7003)));
    takeOver(nodes.one, 7001);
    nodes.two.answer("CLUSTER SLOTS", Resp.slots(range(0, HALF, 7003), range(HALF, LAST, 7002)));

    CompletableFuture<RedisReply> call = nodes.get(LOW);
    nodes.timer.advance(Duration.ofMillis(50));

    assertThat(failureOf(call)).isInstanceOf(RedisCallException.NotSent.class);
    awaitGet(nodes.three);
    assertThat(gets(nodes.one)).isEmpty();
  }

  @Test
  void send_allAddressesForeign_waitsBeforeItTakesTheClusterForItsOwn() {
    takeOver(nodes.one, 7001);
    takeOver(nodes.two, 7002);
    for (int i = 0; i < 8; i++) {
      nodes.get(LOW);
      nodes.get(HIGH);
      nodes.timer.advance(Duration.ofSeconds(1));
    }
    assertThat(gets(nodes.one)).isEmpty();
    assertThat(gets(nodes.two)).isEmpty();

    awaitGet(nodes.one, nodes.two);
  }

  @Test
  void send_userMayNotAskForTheId_usesTheNode() {
    nodes.one.kill();
    nodes.one.answer("CLUSTER MYID", Resp.error("NOPERM no right to run 'cluster|myid'"));
    nodes.one.accept();

    nodes.get(LOW);
    nodes.timer.advance(Duration.ofMillis(50));

    assertThat(gets(nodes.one)).containsExactly("GET " + LOW);
  }
}
