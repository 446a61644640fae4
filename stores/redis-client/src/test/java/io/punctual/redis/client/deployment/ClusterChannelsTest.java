package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.deployment.ClusterFixture.HALF;
import static io.punctual.redis.client.deployment.ClusterFixture.LAST;
import static io.punctual.redis.client.deployment.ClusterFixture.LOW;
import static io.punctual.redis.client.deployment.ClusterFixture.REFRESH;
import static io.punctual.redis.client.deployment.ClusterFixture.range;
import static io.punctual.redis.client.deployment.ClusterFixture.slot;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests subscriptions of a Cluster whose slots move between nodes. */
final class ClusterChannelsTest {
  private final ClusterFixture nodes = new ClusterFixture().open();
  private final ChannelSubscription subscription = nodes.cluster.subscribe(LOW, nodes.subscriber());

  private static List<String> channelRequests(ScriptedServer node) {
    return node.requests().stream().filter(request -> request.contains("SUBSCRIBE")).toList();
  }

  private void moveAllTo(int node) {
    nodes.announce(range(0, LAST, node));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
  }

  @Test
  void subscribe_shardedChannels_subscribesOnTheNodeOfTheSlot() {
    assertThat(channelRequests(nodes.one)).containsExactly("SSUBSCRIBE " + LOW);
    assertThat(channelRequests(nodes.two)).isEmpty();
    nodes.one.link().confirm("ssubscribe", LOW);
    nodes.one.link().push("smessage", LOW, "hint");
    assertThat(nodes.seen).containsExactly("begun", "hint");
  }

  @Test
  void subscribe_oldNodes_usesChannelsOfTheWholeCluster() {
    ClusterFixture old = new ClusterFixture();
    Node.primary(old.two, "6.2.14", "cluster");
    old.open().cluster.subscribe(LOW, old.subscriber());
    assertThat(channelRequests(old.one)).containsExactly("SUBSCRIBE " + LOW);
  }

  @Test
  void refresh_slotMoves_subscribesOnTheNewNodeAndBeginsAgain() {
    nodes.one.link().confirm("ssubscribe", LOW);
    moveAllTo(7002);
    assertThat(channelRequests(nodes.two)).containsExactly("SSUBSCRIBE " + LOW);
    nodes.two.link().confirm("ssubscribe", LOW);
    assertThat(nodes.seen).containsExactly("begun", "begun");
    nodes.two.link().push("smessage", LOW, "hint");
    assertThat(nodes.seen).containsExactly("begun", "begun", "hint");
  }

  @Test
  void refresh_slotMovesToANodeThatStaysAPrimary_unsubscribesOnTheFormer() {
    nodes.one.link().confirm("ssubscribe", LOW);
    nodes.announce(range(0, HALF - 2, 7002), range(HALF, LAST, 7001));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    assertThat(channelRequests(nodes.one))
        .containsExactly("SSUBSCRIBE " + LOW, "SUNSUBSCRIBE " + LOW);
    assertThat(channelRequests(nodes.two)).containsExactly("SSUBSCRIBE " + LOW);
  }

  @Test
  void refresh_slotStays_keepsTheSubscription() {
    nodes.one.link().confirm("ssubscribe", LOW);
    nodes.announce(range(0, HALF - 1, 7001), range(HALF, LAST, 7003));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    assertThat(channelRequests(nodes.one)).containsExactly("SSUBSCRIBE " + LOW);
    assertThat(nodes.seen).containsExactly("begun");
  }

  @Test
  void subscribe_nodeReportsMoved_followsAtOnce() {
    nodes.one.link().reply(Resp.error("MOVED " + slot(LOW) + " 10.0.0.2:7002"));
    assertThat(channelRequests(nodes.two)).containsExactly("SSUBSCRIBE " + LOW);
  }

  @Test
  void sunsubscribed_slotLeftTheNode_refreshesAndFollows() {
    nodes.one.link().confirm("ssubscribe", LOW);
    nodes.announce(range(0, LAST, 7002));
    nodes.one.link().end("sunsubscribe", LOW);
    nodes.timer.advance(REFRESH);
    assertThat(channelRequests(nodes.two)).containsExactly("SSUBSCRIBE " + LOW);
  }

  @Test
  void nodeLost_replicaTakesOver_subscribesThere() {
    nodes.one.link().confirm("ssubscribe", LOW);
    nodes.announce(range(0, HALF - 1, 7003), range(HALF, LAST, 7002));
    nodes.one.kill();
    nodes.timer.advance(Duration.ofSeconds(3));
    nodes.three.links().get(0).confirm("ssubscribe", LOW);
    assertThat(nodes.seen).containsExactly("begun", "begun");
  }

  @Test
  void close_afterAMove_endsTheSubscriptionOnTheNewNodeAndFollowsNoMore() {
    moveAllTo(7002);
    nodes.two.link().confirm("ssubscribe", LOW);
    subscription.close();
    assertThat(channelRequests(nodes.two))
        .containsExactly("SSUBSCRIBE " + LOW, "SUNSUBSCRIBE " + LOW);
    moveAllTo(7003);
    assertThat(channelRequests(nodes.three)).isEmpty();
  }
}
