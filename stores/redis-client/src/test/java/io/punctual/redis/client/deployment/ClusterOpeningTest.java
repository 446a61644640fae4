package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.deployment.ClusterFixture.HIGH;
import static io.punctual.redis.client.deployment.ClusterFixture.LAST;
import static io.punctual.redis.client.deployment.ClusterFixture.LOW;
import static io.punctual.redis.client.deployment.ClusterFixture.REFRESH;
import static io.punctual.redis.client.deployment.ClusterFixture.gets;
import static io.punctual.redis.client.deployment.ClusterFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedServer;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests how a Cluster opens, and the late checks of its primaries. */
final class ClusterOpeningTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ClusterFixture nodes = new ClusterFixture();

  private static long checks(ScriptedServer node) {
    return node.requests().stream().filter(request -> request.startsWith("EVALSHA")).count();
  }

  @Test
  void check_allNodesAnswer_checksEachOnceAndPlansNothing() {
    nodes.cluster.check();
    assertThat(checks(nodes.one)).isEqualTo(1);
    assertThat(checks(nodes.two)).isEqualTo(1);
    assertThat(nodes.cluster.hasShardedChannels()).isTrue();
    assertThat(nodes.timer.delays()).isEmpty();
  }

  @Test
  void check_rightsProbe_hasAKeyOfASlotThatTheNodeServes() {
    nodes.cluster.check();
    for (ScriptedServer node : new ScriptedServer[] {nodes.one, nodes.two}) {
      String probe =
          node.requests().stream().filter(r -> r.startsWith("EVALSHA")).findFirst().orElseThrow();
      int slot = ClusterFixture.slot(probe.substring(probe.lastIndexOf(' ') + 1));
      assertThat(slot < ClusterFixture.HALF).isEqualTo(node == nodes.one);
    }
  }

  @Test
  void check_oneNodeIsOld_channelsDoNotBelongToSlots() {
    Node.primary(nodes.two, "6.2.14", "cluster");
    nodes.cluster.check();
    assertThat(nodes.cluster.hasShardedChannels()).isFalse();
  }

  @Test
  void check_firstSeedAway_asksTheNext() {
    nodes.one.refuse();
    nodes.timer.skip(Duration.ofMillis(50));
    nodes.cluster.check();
    nodes.get(HIGH);
    assertThat(gets(nodes.two)).hasSize(1);
  }

  @Test
  void check_noNodeAnswers_isUnavailableAndNamesTheCause() {
    nodes.one.refuse();
    nodes.two.refuse();
    assertThatThrownBy(nodes.cluster::check)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContainingAll("can't be reached", "Unable to connect");
  }

  @Test
  void check_noCluster_isRefusedAndNamesTheRemedy() {
    String error = Resp.error("ERR This instance has cluster support disabled");
    nodes.one.answer("CLUSTER SLOTS", error);
    nodes.two.answer("CLUSTER SLOTS", error);
    assertThatThrownBy(nodes.cluster::check)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll("is not a Cluster", "redis://host:port");
  }

  @Test
  void check_noSlotsAssigned_isUnavailableAndNamesTheRemedy() {
    nodes.announce();
    assertThatThrownBy(nodes.cluster::check)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContainingAll("serves no slots yet", "redis-cli --cluster create");
  }

  @Test
  void check_unfitNode_isRefusedAndNamesTheNode() {
    nodes.two.answer("INFO memory", Resp.info("maxmemory_policy:allkeys-lru"));
    assertThatThrownBy(nodes.cluster::check)
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContainingAll("node 10.0.0.2:7002", "allkeys-lru");
  }

  @Test
  void check_allPrimariesAway_isUnavailable() {
    nodes.one.answer("INFO server", Resp.error("LOADING data"));
    nodes.two.answer("INFO server", Resp.error("LOADING data"));
    assertThatThrownBy(nodes.cluster::check)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("LOADING");
  }

  @Test
  void check_onePrimaryAway_opensAndChecksItWhenItAnswers() {
    nodes.two.answer("INFO server", Resp.error("LOADING data"));
    nodes.two.answer("PING", Resp.error("LOADING data"));
    nodes.cluster.check();
    nodes.get(LOW);
    assertThat(gets(nodes.one)).hasSize(1);
    nodes.timer.advance(SECOND.multipliedBy(3));
    assertThat(checks(nodes.two)).isZero();
    Node.clustered(nodes.two);
    nodes.timer.advance(SECOND);
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> checks(nodes.two) == 1);
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(checks(nodes.one)).isEqualTo(1);
    assertThat(nodes.two.requests()).filteredOn("PING"::equals).hasSize(4);
  }

  @Test
  void refresh_newPrimary_isCheckedASecondLater() {
    nodes.cluster.check();
    nodes.announce(range(0, LAST, 7003));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH.plus(SECOND));
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> checks(nodes.three) == 1);
  }

  @Test
  void refresh_clusterIsClosed_newPrimaryIsNotChecked() {
    nodes.cluster.check();
    nodes.announce(range(0, LAST, 7003));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    nodes.cluster.close();
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(nodes.three.requests()).doesNotContain("PING");
  }

  @Test
  void check_interrupted_throwsAndKeepsTheInterrupt() {
    nodes.one.leave("CLUSTER SLOTS");
    nodes.two.leave("CLUSTER SLOTS");
    Thread.currentThread().interrupt();
    assertThatThrownBy(nodes.cluster::check).hasMessageContaining("Interrupted while");
    assertThat(Thread.interrupted()).isTrue();
  }
}
