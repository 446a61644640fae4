package io.punctual.redis.client.deployment;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.redis.client.connection.RedisReply;
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
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a primary behind two Sentinels: its replacements, and Sentinels that are away or stale. */
final class SentinelTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final Duration RECONNECT = Duration.ofMillis(50);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String SWITCH = "main 10.0.0.1 7001 10.0.0.2 7002";

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer former = Node.single(client.server(7001));
  private final ScriptedServer next = Node.single(client.server(7002));
  private final ScriptedServer sentinel = client.server(26379);
  private final ScriptedServer other = client.server(26380);
  private final List<CompletableFuture<Void>> ends = new ArrayList<>();
  private OneServer deployment;

  @BeforeEach
  void open() {
    client.primary(former);
    RedisURI uri =
        RedisURI.Builder.sentinel("10.0.1.1", 26379, "main")
            .withSentinel("10.0.1.2", 26380)
            .build();
    deployment = new OneServer(client, uri, Settings.plain(), timer, ends::add);
    deployment.check(new RightsProbe(Scripts.of("return ''"), List.of("probe")));
    sentinel.link().confirm("subscribe", "+switch-master");
    other.link().confirm("subscribe", "+switch-master");
  }

  private CompletableFuture<RedisReply> get(String key) {
    return deployment.link(KEY).send(Request.of(CommandType.GET, key));
  }

  private void switchTo(ScriptedServer primary) {
    client.primary(primary);
    sentinel.link().push("message", "+switch-master", SWITCH);
  }

  @Test
  void open_twoSentinels_watchesBoth() {
    assertThat(sentinel.requests()).containsExactly("SUBSCRIBE +switch-master");
    assertThat(other.requests()).containsExactly("SUBSCRIBE +switch-master");
    assertThat(deployment.hasFailOver()).isTrue();
  }

  @Test
  void switchMaster_requestsInFlight_areUnansweredAndTheNextAsksTheNewPrimary() {
    CompletableFuture<RedisReply> inFlight = get("a");
    switchTo(next);
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    get("b");
    timer.advance(RECONNECT);
    assertThat(next.requests()).contains("GET b");
    assertThat(former.requests()).doesNotContain("GET b");
  }

  @Test
  void switchMaster_onlyTheOtherSentinelKnows_counts() {
    ScriptedLink before = former.link();
    client.primary(next);
    other.link().push("message", "+switch-master", SWITCH);
    assertThat(before.isOpen()).isFalse();
  }

  @Test
  void switchMaster_ofADifferentPrimary_isIgnored() {
    sentinel.link().push("message", "+switch-master", "main2 10.0.0.1 7001 10.0.0.2 7002");
    assertThat(former.link().isOpen()).isTrue();
  }

  @Test
  void switchMaster_subscriptionsAndConfirmations_moveToTheNewPrimary() {
    List<String> seen = new ArrayList<>();
    deployment.subscribe("c", new Begun(seen));
    former.link().confirm("subscribe", "c");
    deployment.confirm(new Durability(false, 1), Witness.ofCall("s", 1));
    switchTo(next);
    assertThat(former.links()).noneMatch(ScriptedLink::isOpen);
    timer.advance(RECONNECT);
    next.link().confirm("subscribe", "c");
    assertThat(seen).containsExactly("begun", "begun");
  }

  private record Begun(List<String> seen) implements Subscriber {
    @Override
    public void begun() {
      seen.add("begun");
    }

    @Override
    public void message(byte[] message) {
      seen.add("message");
    }
  }

  @Test
  void sentinelLost_noticeMayBeMissed_asksForThePrimaryAgain() {
    ScriptedLink before = former.link();
    sentinel.link().lose();
    assertThat(before.isOpen()).isTrue();
    timer.advance(RECONNECT);
    sentinel.link().confirm("subscribe", "+switch-master");
    assertThat(before.isOpen()).isFalse();
  }

  @Test
  void sentinelsAway_primaryAnswers_callsStillWork() {
    former.answer("GET", Resp.OK);
    sentinel.kill();
    other.kill();
    timer.advance(Duration.ofMinutes(1));
    assertThat(get("a")).isCompleted();
    assertThat(sentinel.connects()).isGreaterThan(30);
  }

  @Test
  void noSentinelAnswers_primaryLost_callsAreNotSentAndNameTheCause() {
    former.kill();
    former.refuse(new RedisConnectionException("Cannot connect Redis Sentinel at 10.0.1.1"));
    CompletableFuture<RedisReply> call = get("a");
    timer.advance(RECONNECT);
    assertThat(failureOf(call))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("Cannot connect Redis Sentinel");
    client.primary(next);
    next.answer("GET", Resp.OK);
    CompletableFuture<RedisReply> later = get("b");
    timer.advance(SECOND);
    assertThat(later).isCompleted();
  }

  @Test
  void staleSentinel_namesTheFormerPrimary_callsAreNotSentUntilItNamesTheNewOne() {
    former.kill();
    former.accept();
    former.answer("GET", Resp.error("READONLY You can't write against a read only replica."));
    for (int i = 0; i < 3; i++) {
      CompletableFuture<RedisReply> stale = get("a");
      timer.advance(SECOND);
      assertThat(failureOf(stale)).isInstanceOf(RedisCallException.NotSent.class);
      assertThat(former.links()).filteredOn(ScriptedLink::isOpen).isEmpty();
    }
    client.primary(next);
    next.answer("GET", Resp.OK);
    CompletableFuture<RedisReply> fresh = get("b");
    timer.advance(SECOND);
    assertThat(fresh).isCompleted();
    assertThat(next.requests()).containsExactly("GET b");
  }

  @Test
  void newPrimary_fits_isCheckedOnceASecondLater() {
    switchTo(next);
    timer.advance(SECOND.minusMillis(1));
    assertThat(next.requests()).doesNotContain("PING");
    timer.advance(SECOND);
    awaitRequest(next, "EVALSHA", 1);
    timer.advance(Duration.ofMinutes(1));
    assertThat(next.requests()).filteredOn("PING"::equals).hasSize(1);
  }

  @Test
  void newPrimary_isStillAReplica_isCheckedAgainASecondLater() {
    next.answer("INFO replication", Resp.info("role:slave"));
    switchTo(next);
    timer.advance(SECOND.plus(RECONNECT));
    awaitRequest(next, "INFO replication", 1);
    next.answer("INFO replication", Resp.info("role:master"));
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !timer.delays().isEmpty() && timer.delays().contains(SECOND));
    timer.advance(SECOND);
    awaitRequest(next, "EVALSHA", 1);
  }

  @Test
  void newPrimary_replacedBeforeItsCheck_onlyTheLatestIsChecked() {
    switchTo(next);
    switchTo(next);
    timer.advance(SECOND.plus(RECONNECT));
    awaitRequest(next, "EVALSHA", 1);
    assertThat(next.requests()).filteredOn("PING"::equals).hasSize(1);
  }

  private static void awaitRequest(ScriptedServer server, String start, int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                server.requests().stream().filter(request -> request.startsWith(start)).count()
                    == count);
  }

  @Test
  void close_watching_endsTheConnectionsToTheSentinels() {
    deployment.close();
    assertThat(sentinel.link().isOpen()).isFalse();
    assertThat(other.link().isOpen()).isFalse();
    assertThat(former.link().isOpen()).isFalse();
    assertThat(ends).singleElement().satisfies(end -> assertThat(end).isCompleted());
    timer.advance(Duration.ofMinutes(1));
    assertThat(sentinel.connects()).isEqualTo(1);
  }

  @Test
  void close_lateCheckIsPlanned_doesNotCheck() {
    switchTo(next);
    deployment.close();
    timer.advance(Duration.ofMinutes(1));
    assertThat(next.requests()).isEmpty();
  }
}
