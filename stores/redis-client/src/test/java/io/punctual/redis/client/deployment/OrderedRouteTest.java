package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.deployment.ClusterFixture.HALF;
import static io.punctual.redis.client.deployment.ClusterFixture.LAST;
import static io.punctual.redis.client.deployment.ClusterFixture.LOW;
import static io.punctual.redis.client.deployment.ClusterFixture.bytes;
import static io.punctual.redis.client.deployment.ClusterFixture.range;
import static io.punctual.redis.client.deployment.ClusterFixture.slot;
import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static io.punctual.redis.client.scripted.Outcome.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Script;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the order of calls about one key, whose slot moves from the first node to the second. */
final class OrderedRouteTest {
  private static final Script SCRIPT = Scripts.of("return 1");

  private final ClusterFixture nodes = new ClusterFixture().open();
  private final OrderedRoute route = new OrderedRoute(nodes.cluster, bytes(LOW));

  OrderedRouteTest() {
    List.of(nodes.one, nodes.two, nodes.three).forEach(node -> node.leave("EVALSHA"));
  }

  private CompletableFuture<RedisReply> call(String name) {
    return route.run(SCRIPT, List.of(bytes(LOW)), List.of(bytes(name)));
  }

  /** Returns the names of the calls that a node has received, without those of its check. */
  private static List<String> calls(ScriptedServer node) {
    return node.requests().stream()
        .filter(request -> request.startsWith("EVAL") && !request.contains("probe"))
        .map(request -> request.substring(request.lastIndexOf(' ') + 1))
        .toList();
  }

  private String moved() {
    return Resp.error("MOVED " + slot(LOW) + " 10.0.0.2:7002");
  }

  /** Moves the slot while the first node stays a primary, so that its connection stays open. */
  private void moveSlot() {
    nodes.announce(range(0, HALF - 1, 7002), range(HALF, LAST, 7001));
    nodes.refresh();
  }

  @Test
  void run_sameNode_sendsWithoutWaitingForReplies() {
    call("a");
    call("b");
    call("c");
    assertThat(calls(nodes.one)).containsExactly("a", "b", "c");
  }

  @Test
  void run_slotHasMoved_waitsUntilTheFormerNodeHasReplied() {
    CompletableFuture<RedisReply> first = call("a");
    CompletableFuture<RedisReply> second = call("b");
    moveSlot();
    CompletableFuture<RedisReply> third = call("c");
    call("d");
    nodes.one.link().reply(Resp.number(1));
    assertThat(first).isCompleted();
    assertThat(calls(nodes.two)).isEmpty();
    nodes.one.link().reply(Resp.number(2));
    assertThat(second).isCompleted();
    assertThat(calls(nodes.two)).containsExactly("c", "d");
    nodes.two.link().reply(Resp.number(3));
    assertThat(resultOf(third).values()).containsExactly(3L);
  }

  @Test
  void run_movedToTheNextNode_refusedCallsFailBeforeTheNextIsSent() {
    CompletableFuture<RedisReply> first = call("a");
    CompletableFuture<RedisReply> second = call("b");
    nodes.one.link().reply(moved());
    assertThat(failureOf(first)).isInstanceOf(RedisCallException.NotSent.class);
    call("c");
    assertThat(calls(nodes.two)).isEmpty();
    nodes.one.link().reply(moved());
    assertThat(failureOf(second)).isInstanceOf(RedisCallException.NotSent.class);
    assertThat(calls(nodes.two)).containsExactly("c");
  }

  @Test
  void run_formerNodeLost_sendsToTheNextNodeAfterTheFailure() {
    CompletableFuture<RedisReply> inFlight = call("a");
    moveSlot();
    call("b");
    nodes.one.kill();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(calls(nodes.two)).containsExactly("b");
    assertThat(calls(nodes.one)).containsExactly("a");
  }

  @Test
  void run_formerNodeSilent_waitsForTheTimeout() {
    call("a");
    moveSlot();
    call("b");
    nodes.timer.advance(Duration.ofSeconds(3));
    assertThat(calls(nodes.two)).isEmpty();
    nodes.timer.advance(Duration.ofSeconds(1));
    assertThat(calls(nodes.two)).containsExactly("b");
  }

  @Test
  void run_slotMovesBackWhileCallsWait_keepsTheOrderOfAllCalls() {
    call("a");
    moveSlot();
    call("b");
    nodes.announceHalves();
    nodes.refresh();
    call("c");
    assertThat(calls(nodes.one)).containsExactly("a");
    nodes.one.link().reply(Resp.number(1));
    assertThat(calls(nodes.two)).containsExactly("b");
    assertThat(calls(nodes.one)).containsExactly("a");
    nodes.two.link().reply(Resp.number(1));
    assertThat(calls(nodes.one)).containsExactly("a", "c");
  }

  @Test
  void run_whileAWaitingCallIsAboutToBeSent_isSentAfterIt() {
    call("a");
    moveSlot();
    List<byte[]> callsAgain =
        new AbstractList<>() {
          private boolean hasCalled;

          @Override
          public byte[] get(int index) {
            if (!hasCalled) {
              hasCalled = true;
              call("c");
            }
            return bytes("b");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    route.run(SCRIPT, List.of(bytes(LOW)), callsAgain);
    nodes.one.link().reply(Resp.number(1));
    assertThat(calls(nodes.two)).containsExactly("b", "c");
  }

  @Test
  void run_forgottenScript_theTextIsSentBeforeTheNextNodeGetsACall() {
    call("a");
    moveSlot();
    call("b");
    nodes.one.link().reply(Resp.error("NOSCRIPT No matching script."));
    assertThat(calls(nodes.one)).containsExactly("a", "a");
    assertThat(calls(nodes.two)).isEmpty();
    nodes.one.link().reply(Resp.number(1));
    assertThat(calls(nodes.two)).containsExactly("b");
  }

  @Test
  void run_closed_allCallsFailAlsoWaitingOnes() {
    CompletableFuture<RedisReply> inFlight = call("a");
    moveSlot();
    CompletableFuture<RedisReply> waits = call("b");
    nodes.cluster.close();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    nodes.timer.advance(Duration.ofMinutes(1));
    assertThat(waits).isCompletedExceptionally();
    assertThat(failureOf(call("c"))).isInstanceOf(RedisCallException.NotSent.class);
  }
}
