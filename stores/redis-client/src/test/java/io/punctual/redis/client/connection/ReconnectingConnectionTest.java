package io.punctual.redis.client.connection;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static io.punctual.redis.client.scripted.Outcome.resultOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import io.punctual.redis.client.scripted.ManualTimer;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests when a connection is opened again, and what callers learn about their requests. */
final class ReconnectingConnectionTest {
  private static final Duration RECONNECT = Duration.ofMillis(50);
  private static final Script SCRIPT = Scripts.of("return 1");

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = client.server(6379);
  private final List<Throwable> failures = new ArrayList<>();
  private final ReconnectingConnection link =
      new ReconnectingConnection(
          client,
          RedisURI.create("localhost", 6379),
          Settings.plain(),
          timer,
          NodeIdentity.ANY,
          failures::add);

  private CompletableFuture<RedisReply> get(String key) {
    return link.send(Request.of(CommandType.GET, key));
  }

  private CompletableFuture<RedisReply> run() {
    return link.run(SCRIPT, List.of("k".getBytes(UTF_8)), List.of("v".getBytes(UTF_8)));
  }

  /** Fails this many attempts to connect in a row. */
  private void failAttempts(int count) {
    server.refuse();
    for (int i = 0; i < count; i++) {
      CompletableFuture<RedisReply> refused = get("x");
      timer.advance(Duration.ofSeconds(1));
      assertThat(refused).isCompletedExceptionally();
    }
  }

  @Test
  void send_firstRequest_connectsAtOnce() {
    CompletableFuture<RedisReply> reply = get("a");
    assertThat(server.link().requests()).containsExactly("GET a");
    assertThat(reply).isNotDone();
    server.link().reply(Resp.number(7));
    assertThat(resultOf(reply).values()).containsExactly(7L);
  }

  @Test
  void send_severalInFlight_eachGetsItsOwnReply() {
    CompletableFuture<RedisReply> first = get("a");
    CompletableFuture<RedisReply> second = get("b");
    server.link().reply(Resp.number(1));
    assertThat(resultOf(first).values()).containsExactly(1L);
    assertThat(second).isNotDone();
    server.link().reply(Resp.number(2));
    assertThat(resultOf(second).values()).containsExactly(2L);
  }

  @Test
  void send_whileConnecting_waitsAndKeepsTheOrder() {
    server.hold();
    List<CompletableFuture<RedisReply>> replies = List.of(get("a"), get("b"), get("c"));
    assertThat(server.connects()).isEqualTo(1);
    assertThat(server.requests()).isEmpty();
    server.answer("GET", Resp.OK);
    server.attempt().accept();
    assertThat(server.requests()).containsExactly("GET a", "GET b", "GET c");
    assertThat(replies).allMatch(CompletableFuture::isDone);
  }

  @Test
  void run_newConnections_sendNoTextOfAScriptThatTheServerKnows() {
    server.answer("EVALSHA", Resp.number(1));
    run();
    server.link().lose();
    run();
    timer.advance(Duration.ofMillis(50));
    assertThat(server.connects()).isEqualTo(2);
    assertThat(server.requests()).hasSize(2).allMatch(request -> request.startsWith("EVALSHA"));
  }

  @Test
  void send_connectFails_isNotSentAndNamesTheCause() {
    server.refuse();
    assertThat(failureOf(get("a")))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("Unable to connect");
    assertThat(failures)
        .singleElement()
        .satisfies(f -> assertThat(f).hasMessage("Unable to connect"));
  }

  @Test
  void send_connectFails_failsAllWaitingRequests() {
    server.hold();
    List<CompletableFuture<RedisReply>> replies = List.of(get("a"), get("b"));
    server.attempt().refuse(new IllegalStateException("no route"));
    assertThat(replies)
        .allSatisfy(
            reply -> assertThat(failureOf(reply)).isInstanceOf(RedisCallException.NotSent.class));
  }

  @Test
  void send_failuresInARow_pausesDoubleUpToASecond() {
    server.refuse();
    get("x");
    for (int failed = 1; failed <= 10; failed++) {
      CompletableFuture<RedisReply> waits = get("x");
      Duration pause = timer.delays().get(0);
      Duration bound = Duration.ofMillis(Math.min(1000, 10L << (failed - 1)));
      assertThat(pause).isBetween(bound.dividedBy(2), bound);
      timer.advance(pause.minusNanos(1));
      assertThat(server.connects()).isEqualTo(failed);
      assertThat(waits).isNotDone();
      timer.advance(Duration.ofNanos(1));
      assertThat(server.connects()).isEqualTo(failed + 1);
      assertThat(waits).isCompletedExceptionally();
    }
  }

  @Test
  void send_connectSucceedsAfterFailures_pausesStartAnew() {
    failAttempts(8);
    server.accept();
    CompletableFuture<RedisReply> reply = get("a");
    timer.advance(Duration.ofSeconds(1));
    server.link().reply(Resp.OK);
    assertThat(reply).isCompleted();
    server.link().lose();
    get("b");
    assertThat(timer.delays().get(0)).isLessThan(RECONNECT);
  }

  @Test
  void connect_noConnectionInTime_isNotSentAndALateConnectionIsClosed() {
    server.hold();
    CompletableFuture<RedisReply> reply = get("a");
    timer.advance(Duration.ofSeconds(5));
    assertThat(failureOf(reply))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("no connection within 5000 ms");
    ScriptedLink late = server.attempt().accept();
    assertThat(late.isOpen()).isFalse();
    assertThat(late.requests()).isEmpty();
    assertThat(client.listenerCount()).isZero();
  }

  @Test
  void lost_requestsInFlight_areUnanswered() {
    CompletableFuture<RedisReply> first = get("a");
    CompletableFuture<RedisReply> second = get("b");
    server.link().lose();
    assertThat(failureOf(first)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(failureOf(second)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(failures).hasSize(2);
  }

  @Test
  void lost_requestsInFlight_areNotSentAgain() {
    get("a");
    server.link().lose();
    get("b");
    timer.advance(RECONNECT);
    assertThat(server.requests()).containsExactly("GET a", "GET b");
  }

  @Test
  void lost_noFurtherRequest_doesNotReconnect() {
    get("a");
    server.link().lose();
    timer.advance(Duration.ofMinutes(1));
    assertThat(server.connects()).isEqualTo(1);
  }

  @Test
  void lost_nextRequests_waitForTheNextConnectionInOrder() {
    get("a");
    server.link().lose();
    List<CompletableFuture<RedisReply>> replies = List.of(get("b"), get("c"));
    server.answer("GET", Resp.OK);
    timer.advance(RECONNECT);
    assertThat(server.link().requests()).containsExactly("GET b", "GET c");
    assertThat(replies).allMatch(reply -> !reply.isCompletedExceptionally() && reply.isDone());
  }

  @Test
  void send_tooManyWaitForAConnection_isNotSent() {
    server.hold();
    IntStream.range(0, Settings.REQUESTS).forEach(i -> get("a"));
    assertThat(failureOf(get("b")))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("too many requests wait for a connection");
    server.attempt().accept();
    assertThat(server.requests()).hasSize(Settings.REQUESTS).doesNotContain("GET b");
  }

  @Test
  void run_serverKnowsTheScript_sendsItsNameOnly() {
    CompletableFuture<RedisReply> reply = run();
    assertThat(server.requests()).singleElement().asString().matches("EVALSHA [0-9a-f]{40} 1 k v");
    server.link().reply(Resp.number(1));
    assertThat(resultOf(reply).values()).containsExactly(1L);
  }

  @Test
  void run_serverForgotTheScript_sendsItsTextOnce() {
    CompletableFuture<RedisReply> reply = run();
    server.link().reply(Resp.error("NOSCRIPT No matching script. Please use EVAL."));
    assertThat(server.link().unanswered()).containsExactly("EVAL return 1\n 1 k v");
    assertThat(reply).isNotDone();
    server.link().reply(Resp.number(1));
    assertThat(resultOf(reply).values()).containsExactly(1L);
  }

  @Test
  void run_connectionLostAfterTheText_isUnanswered() {
    CompletableFuture<RedisReply> reply = run();
    server.link().reply(Resp.error("NOSCRIPT No matching script. Please use EVAL."));
    server.link().lose();
    assertThat(failureOf(reply)).isInstanceOf(RedisCallException.Unanswered.class);
  }

  @Test
  void run_serverForgetsTheTextAtOnce_isNotSent() {
    CompletableFuture<RedisReply> reply = run();
    server.link().reply(Resp.error("NOSCRIPT No matching script. Please use EVAL."));
    server.link().reply(Resp.error("NOSCRIPT No matching script. Please use EVAL."));
    assertThat(failureOf(reply))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("NOSCRIPT");
    assertThat(server.requests()).hasSize(2);
  }

  @Test
  void run_connectionLost_isNotSentAgain() {
    CompletableFuture<RedisReply> reply = run();
    server.link().lose();
    timer.advance(Duration.ofMinutes(1));
    assertThat(failureOf(reply)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(server.connects()).isEqualTo(1);
  }

  @Test
  void renew_requestsInFlight_areUnansweredAndTheNextUsesANewConnection() {
    CompletableFuture<RedisReply> inFlight = get("a");
    ScriptedLink former = server.link();
    link.renew();
    assertThat(former.isOpen()).isFalse();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    get("b");
    timer.advance(RECONNECT);
    assertThat(server.link().requests()).containsExactly("GET b");
  }

  @Test
  void renew_whileConnecting_waitingRequestsUseTheNextConnection() {
    server.hold();
    CompletableFuture<RedisReply> waits = get("a");
    link.renew();
    ScriptedLink outdated = server.attempt().accept();
    assertThat(outdated.isOpen()).isFalse();
    assertThat(outdated.requests()).isEmpty();
    assertThat(waits).isNotDone();
    ScriptedLink fresh = server.attempt().accept();
    assertThat(fresh.requests()).containsExactly("GET a");
    assertThat(fresh.isOpen()).isTrue();
  }

  @Test
  void end_requestsInFlight_areUnanswered() {
    CompletableFuture<RedisReply> inFlight = get("a");
    CompletableFuture<Void> end = link.end();
    assertThat(end).isCompleted();
    assertThat(server.link().isOpen()).isFalse();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
  }

  @Test
  void end_requestsWaitForAConnection_areNotSent() {
    server.hold();
    CompletableFuture<RedisReply> waits = get("a");
    CompletableFuture<Void> end = link.end();
    assertThat(failureOf(waits))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("has been closed");
    assertThat(end).isNotDone();
    ScriptedLink late = server.attempt().accept();
    assertThat(late.isOpen()).isFalse();
    assertThat(late.requests()).isEmpty();
    assertThat(end).isCompleted();
  }

  @Test
  void connected_timerFailsForAWaitingRequest_theOthersAreSent() {
    server.hold();
    CompletableFuture<RedisReply> first = get("a");
    CompletableFuture<RedisReply> second = get("b");
    timer.fail(1);
    server.attempt().accept();
    assertThat(failureOf(first)).isInstanceOf(RedisCallException.NotSent.class);
    server.link().reply(Resp.number(2));
    assertThat(resultOf(second).values()).containsExactly(2L);
  }

  @Test
  void send_timerFailsAtThePause_isNotSent_andTheNextRequestConnects() {
    failAttempts(1);
    server.accept();
    timer.fail(1);
    assertThat(failureOf(get("a"))).isInstanceOf(RedisCallException.NotSent.class);
    CompletableFuture<RedisReply> next = get("b");
    timer.advance(Duration.ofSeconds(1));
    server.link().reply(Resp.number(2));
    assertThat(resultOf(next).values()).containsExactly(2L);
  }

  @Test
  void end_duringAPause_connectsNoMore() {
    failAttempts(1);
    CompletableFuture<RedisReply> waits = get("a");
    int before = server.connects();
    assertThat(link.end()).isCompleted();
    timer.advance(Duration.ofMinutes(1));
    assertThat(server.connects()).isEqualTo(before);
    assertThat(failureOf(waits)).isInstanceOf(RedisCallException.NotSent.class);
  }

  @Test
  void send_afterTheEnd_isNotSent() {
    link.close();
    assertThat(failureOf(get("a")))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("has been closed");
    assertThat(server.connects()).isZero();
  }

  @Test
  void send_timerIsClosedDuringAPause_isNotSentInsteadOfWaitingForever() {
    get("a");
    server.link().lose();
    timer.close();
    for (String key : List.of("b", "c")) {
      assertThat(failureOf(get(key)))
          .isInstanceOf(RedisCallException.NotSent.class)
          .hasMessageContaining("closed");
    }
  }
}
