package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.deployment.ClusterFixture.LOW;
import static io.punctual.redis.client.deployment.ClusterFixture.slot;
import static io.punctual.redis.client.scripted.Outcome.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Durability;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.scripted.Node;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how long a client asks whether a call is durable, and which node it asks. */
final class RepeatedConfirmationTest {
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Durability REPLICA = new Durability(false, 1);

  private final ClusterFixture nodes = new ClusterFixture();
  private Cluster cluster;

  @BeforeEach
  void open() {
    cluster = open(Duration.ofHours(1));
  }

  private Cluster open(Duration durabilityTimeout) {
    Node.clustered(nodes.one).answer("WAIT", Resp.number(1));
    Node.clustered(nodes.two).answer("WAIT", Resp.number(1));
    Cluster opened = nodes.cluster(Settings.durable(REPLICA, durabilityTimeout));
    opened.check();
    nodes.one.leave("EVALSHA");
    nodes.two.leave("EVALSHA");
    return opened;
  }

  private CompletableFuture<String> confirm() {
    return cluster.confirm(REPLICA, Witness.ofCall(LOW, 7)).thenApply(reasons -> reasons.get(0));
  }

  private static long questions(ScriptedServer node) {
    return node.requests().stream().filter(request -> request.endsWith(LOW + " 7")).count();
  }

  @Test
  void confirm_callIsDurable_isConfirmed() {
    CompletableFuture<String> answer = confirm();
    nodes.one.link().reply(Resp.number(1));
    assertThat(answer).isCompletedWithValue(null);
    assertThat(questions(nodes.one)).isEqualTo(1);
  }

  @Test
  void confirm_slotMoves_asksTheNextNodeAfterAPause() {
    CompletableFuture<String> answer = confirm();
    nodes.one.link().reply(Resp.error("MOVED " + slot(LOW) + " 10.0.0.2:7002"));
    assertThat(answer).isNotDone();
    assertThat(questions(nodes.two)).isZero();
    nodes.timer.advance(PAUSE);
    assertThat(questions(nodes.two)).isEqualTo(1);
    nodes.two.link().reply(Resp.number(1));
    assertThat(answer).isCompletedWithValue(null);
  }

  @Test
  void confirm_connectionLost_asksAgain() {
    CompletableFuture<String> answer = confirm();
    nodes.one.link().lose();
    nodes.timer.advance(Duration.ofMillis(75));
    assertThat(questions(nodes.one)).isEqualTo(2);
    nodes.one.link().reply(Resp.number(1));
    assertThat(answer).isCompletedWithValue(null);
  }

  @Test
  void confirm_serverLostTheCall_namesTheReasonAndAsksNoMore() {
    CompletableFuture<String> answer = confirm();
    nodes.one.link().reply(Resp.number(0));
    assertThat(resultOf(answer)).contains("does not have it any more");
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(questions(nodes.one)).isEqualTo(1);
  }

  @Test
  void confirm_refused_namesTheReasonAndAsksNoMore() {
    CompletableFuture<String> answer = confirm();
    nodes.one.link().reply(Resp.error("NOPERM no right to run 'evalsha'"));
    assertThat(resultOf(answer)).contains("the question was not answered", "NOPERM");
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(questions(nodes.one)).isEqualTo(1);
  }

  @Test
  void confirm_timeHasPassed_namesTheLastFailure() {
    cluster = open(Duration.ofMillis(1));
    CompletableFuture<String> answer = confirm();
    nodes.one.link().reply(Resp.error("LOADING Redis is loading the dataset in memory"));
    assertThat(resultOf(answer)).contains("the question was not answered", "LOADING");
  }

  @Test
  void confirm_timerFails_namesTheLastFailure() {
    CompletableFuture<String> answer = confirm();
    nodes.timer.fail(2);
    nodes.one.link().reply(Resp.error("LOADING Redis is loading the dataset in memory"));
    assertThat(resultOf(answer)).contains("the question was not answered", "LOADING");
  }

  @Test
  void confirm_timerIsClosed_namesTheLastFailure() {
    CompletableFuture<String> answer = confirm();
    nodes.timer.close();
    nodes.one.link().reply(Resp.error("LOADING Redis is loading the dataset in memory"));
    assertThat(resultOf(answer)).contains("LOADING");
  }
}
