package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.deployment.ClusterFixture.HALF;
import static io.punctual.redis.client.deployment.ClusterFixture.HIGH;
import static io.punctual.redis.client.deployment.ClusterFixture.LAST;
import static io.punctual.redis.client.deployment.ClusterFixture.LOW;
import static io.punctual.redis.client.deployment.ClusterFixture.REFRESH;
import static io.punctual.redis.client.deployment.ClusterFixture.bytes;
import static io.punctual.redis.client.deployment.ClusterFixture.gets;
import static io.punctual.redis.client.deployment.ClusterFixture.range;
import static io.punctual.redis.client.deployment.ClusterFixture.slot;
import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedLink;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the routes of an open Cluster: redirects, lost nodes, and changes of the map. */
final class ClusterTest {
  private final ClusterFixture nodes = new ClusterFixture().open();

  private String moved(String key, int node) {
    return Resp.error("MOVED " + slot(key) + " 10.0.0." + (node - 7000) + ":" + node);
  }

  private CompletableFuture<RedisReply> getWithReply(String key, String reply) {
    CompletableFuture<RedisReply> call = nodes.get(key);
    nodes.one.link().reply(reply);
    return call;
  }

  @Test
  void link_keysOfDifferentSlots_leadToTheirNodes() {
    nodes.get(LOW);
    nodes.get(HIGH);
    assertThat(gets(nodes.one)).containsExactly("GET " + LOW);
    assertThat(gets(nodes.two)).containsExactly("GET " + HIGH);
  }

  @Test
  void moved_slotIsOnAnotherNode_isNotSentAndTheNextCallGoesThere() {
    CompletableFuture<RedisReply> call = getWithReply(LOW, moved(LOW, 7002));
    assertThat(failureOf(call))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("MOVED");
    nodes.get(LOW);
    assertThat(gets(nodes.two)).containsExactly("GET " + LOW);
  }

  @Test
  void moved_onlyOneSlot_otherSlotsKeepTheirNode() {
    getWithReply(LOW, moved(HIGH, 7001));
    nodes.get(LOW);
    assertThat(gets(nodes.one)).hasSize(2);
    nodes.get(HIGH);
    assertThat(gets(nodes.one)).hasSize(3);
  }

  @Test
  void moved_toAnUnknownNode_connectsToIt() {
    getWithReply(LOW, moved(LOW, 7003));
    nodes.get(LOW);
    assertThat(gets(nodes.three)).containsExactly("GET " + LOW);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?"})
  void moved_namesNoHost_meansTheHostOfTheNodeThatReplied(String host) {
    getWithReply(LOW, Resp.error("MOVED " + slot(LOW) + " " + host + ":7003"));
    nodes.get(LOW);
    assertThat(gets(nodes.three)).containsExactly("GET " + LOW);
  }

  @Test
  void moved_anyRedirect_refreshesTheMapOnceAfterAPause() {
    long before = nodes.refreshes();
    nodes.get(LOW);
    nodes.get(LOW);
    nodes.one.link().reply(moved(LOW, 7002));
    nodes.one.link().reply(moved(LOW, 7002));
    nodes.timer.advance(REFRESH.minusMillis(1));
    assertThat(nodes.refreshes()).isEqualTo(before);
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(nodes.refreshes()).isEqualTo(before + 1);
  }

  @Test
  void moved_timerFails_refreshesTheMapAtTheNextRedirect() {
    long before = nodes.refreshes();
    nodes.get(LOW);
    nodes.get(LOW);
    nodes.timer.fail(1);
    nodes.one.link().reply(moved(LOW, 7002));
    nodes.one.link().reply(moved(LOW, 7002));
    nodes.timer.advance(REFRESH);
    assertThat(nodes.refreshes()).isEqualTo(before + 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ASK 100 10.0.0.2:7002",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "CLUSTERDOWN The cluster is down",
        "LOADING Redis is loading the dataset in memory"
      })
  void passingError_slotMayBeMoving_isNotSentAndTheRouteStaysUntilTheMapChanges(String error) {
    long before = nodes.refreshes();
    CompletableFuture<RedisReply> call = getWithReply(LOW, Resp.error(error));
    assertThat(failureOf(call)).isInstanceOf(RedisCallException.NotSent.class);
    nodes.get(LOW);
    assertThat(gets(nodes.one)).hasSize(2);
    assertThat(gets(nodes.two)).isEmpty();
    nodes.timer.advance(REFRESH);
    assertThat(nodes.refreshes()).isEqualTo(before + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"WRONGTYPE wrong kind of value", "NOSCRIPT No matching script"})
  void lastingError_saysNothingAboutSlots_doesNotRefresh(String error) {
    long before = nodes.refreshes();
    getWithReply(LOW, Resp.error(error));
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(nodes.refreshes()).isEqualTo(before);
  }

  @Test
  void readOnly_nodeIsAReplicaNow_isNotSentAndItsConnectionEnds() {
    CompletableFuture<RedisReply> call = nodes.get(LOW);
    ScriptedLink former = nodes.one.link();
    former.reply(Resp.error("READONLY You can't write against a read only replica."));
    assertThat(failureOf(call)).isInstanceOf(RedisCallException.NotSent.class);
    assertThat(former.isOpen()).isFalse();
    nodes.announce(range(0, HALF - 1, 7003), range(HALF, LAST, 7002));
    nodes.timer.advance(Duration.ofSeconds(1));
    nodes.get(LOW);
    assertThat(gets(nodes.three)).containsExactly("GET " + LOW);
  }

  @Test
  void nodeLost_callsInFlight_areUnansweredAndTheReplicaThatTakesOverGetsTheNext() {
    CompletableFuture<RedisReply> inFlight = nodes.get(LOW);
    nodes.announce(range(0, HALF - 1, 7003), range(HALF, LAST, 7002));
    nodes.one.kill();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    nodes.timer.advance(Duration.ofSeconds(2));
    nodes.get(LOW);
    assertThat(gets(nodes.three)).containsExactly("GET " + LOW);
  }

  @Test
  void nodeLost_noReplicaYet_callsAreNotSentAndTheOtherNodeStillServes() {
    nodes.two.answer("GET", Resp.OK);
    nodes.one.kill();
    CompletableFuture<RedisReply> call = nodes.get(LOW);
    nodes.timer.advance(Duration.ofSeconds(1));
    assertThat(failureOf(call)).isInstanceOf(RedisCallException.NotSent.class);
    assertThat(nodes.get(HIGH)).isCompleted();
  }

  @Test
  void refresh_firstNodeIsSilent_asksTheNextAfterASecond() {
    nodes.one.leave("CLUSTER SLOTS");
    nodes.two.leave("CLUSTER SLOTS");
    long before = nodes.refreshes();
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    assertThat(nodes.refreshes()).isEqualTo(before + 1);
    nodes.timer.advance(Duration.ofMillis(999));
    assertThat(nodes.refreshes()).isEqualTo(before + 1);
    nodes.timer.advance(Duration.ofMillis(1));
    assertThat(nodes.refreshes()).isEqualTo(before + 2);
  }

  @Test
  void refresh_noNodeAnswers_keepsTheMapAndTheNextFailureRefreshesAgain() {
    nodes.one.answer("CLUSTER SLOTS", Resp.error("ERR unknown"));
    nodes.two.answer("CLUSTER SLOTS", Resp.error("ERR unknown"));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    nodes.announce(range(0, LAST, 7002));
    getWithReply(LOW, Resp.error("CLUSTERDOWN The cluster is down"));
    nodes.timer.advance(REFRESH);
    nodes.get(LOW);
    assertThat(gets(nodes.two)).containsExactly("GET " + LOW);
  }

  @Test
  void refresh_forgottenNodeKnowsNoSlots_keepsTheMap() {
    nodes.announce();
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    nodes.get(LOW);
    nodes.get(HIGH);
    assertThat(gets(nodes.one)).hasSize(1);
    assertThat(gets(nodes.two)).hasSize(1);
  }

  @Test
  void refresh_nodeServesNoSlotAnyMore_endsItsConnections() {
    CompletableFuture<RedisReply> inFlight = nodes.get(LOW);
    nodes.announce(range(0, LAST, 7002));
    nodes.refresh();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(nodes.one.links()).noneMatch(ScriptedLink::isOpen);
  }

  @Test
  void refresh_nodeReturns_getsNewConnections() {
    nodes.announce(range(0, LAST, 7002));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    nodes.announceHalves();
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    nodes.get(LOW);
    assertThat(nodes.one.link().requests()).containsExactly("CLUSTER MYID", "GET " + LOW);
  }

  @Test
  void link_slotWithoutANode_asksTheFirstSeedAndRefreshes() {
    nodes.announce(range(HALF, LAST, 7002));
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    long before = nodes.refreshes();
    CompletableFuture<RedisReply> call =
        getWithReply(LOW, Resp.error("CLUSTERDOWN Hash slot not served"));
    assertThat(failureOf(call)).isInstanceOf(RedisCallException.NotSent.class);
    nodes.timer.advance(REFRESH);
    assertThat(nodes.refreshes()).isEqualTo(before + 1);
  }

  @Test
  void close_callsInFlight_areUnansweredAndNoNodeIsAskedAgain() {
    CompletableFuture<RedisReply> low = nodes.get(LOW);
    CompletableFuture<RedisReply> high = nodes.get(HIGH);
    long before = nodes.refreshes();
    nodes.cluster.close();
    assertThat(failureOf(low)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(failureOf(high)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(nodes.ends).singleElement().satisfies(end -> assertThat(end).isCompleted());
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(nodes.refreshes()).isEqualTo(before);
  }

  @Test
  void close_nodeIsUsedForTheFirstTimeLater_isNotSent() {
    getWithReply(LOW, moved(LOW, 7003));
    nodes.cluster.close();
    ReconnectingConnection link = nodes.cluster.link(bytes(LOW));
    assertThat(link).isNotNull();
    assertThat(failureOf(nodes.get(LOW)))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("has been closed");
    assertThat(nodes.three.connects()).isZero();
  }

  @Test
  void close_duringARefresh_ignoresTheLateMap() {
    nodes.one.leave("CLUSTER SLOTS");
    nodes.two.leave("CLUSTER SLOTS");
    nodes.cluster.refresh();
    nodes.timer.advance(REFRESH);
    nodes.cluster.close();
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(nodes.one.links()).noneMatch(ScriptedLink::isOpen);
    assertThat(nodes.two.links()).noneMatch(ScriptedLink::isOpen);
  }

  @Test
  void refresh_timerIsClosed_isGivenUpQuietly() {
    nodes.timer.close();
    nodes.cluster.refresh();
    assertThat(nodes.timer.delays()).isEmpty();
  }
}
