package io.punctual.redis.client.connection;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static io.punctual.redis.client.scripted.Outcome.resultOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.punctual.Durability;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Scripts;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the rounds of questions whether changes are durable. */
final class ConfirmerTest {
  private static final Durability REPLICAS = new Durability(false, 2);

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = client.server(6379);
  private final ServerConnections connections =
      new ServerConnections(
          client,
          RedisURI.create("localhost", 6379),
          Settings.durable(REPLICAS, Duration.ofMillis(700)),
          timer,
          NodeIdentity.ANY,
          () -> false,
          failure -> {});
  private final Confirmer confirmer = connections.confirmer(REPLICAS);

  /** Returns the requests without the script's name. */
  private List<String> requests() {
    return server.requests().stream()
        .map(request -> request.replaceFirst("EVALSHA \\w+ 1", "witness"))
        .toList();
  }

  private void reply(long... numbers) {
    for (long number : numbers) {
      server.link().reply(Resp.number(number));
    }
  }

  private CompletableFuture<String> confirm(String session, long number) {
    return confirmer.confirm(Witness.ofCall(session, number)).thenApply(reasons -> reasons.get(0));
  }

  private CompletableFuture<List<String>> confirmTwo(long first, long second) {
    List<byte[]> keys = List.of("k".getBytes(UTF_8));
    return confirmer.confirm(Witness.of(Scripts.of(""), keys, List.of(), List.of(first, second)));
  }

  @Test
  void confirm_severalChanges_eachHasItsReason() {
    CompletableFuture<List<String>> answer = confirmTwo(17, 0);
    server.link().reply(Resp.list(Resp.number(17), Resp.number(-1)));
    assertThat(requests()).last().isEqualTo("WAIT 2 700");
    reply(2);
    assertThat(resultOf(answer)).hasSize(2).first().isNull();
    assertThat(resultOf(answer).get(1)).contains("does not have it any more");
  }

  @Test
  void confirm_noneOfSeveralChanges_doesNotWait() {
    CompletableFuture<List<String>> answer = confirmTwo(17, 18);
    server.link().reply(Resp.list(Resp.number(18), Resp.number(17)));
    assertThat(resultOf(answer)).allMatch(why -> why.contains("does not have it any more"));
    assertThat(requests()).hasSize(1);
  }

  @Test
  void confirm_equalRequestsOfDifferentSubjects_shareNoQuestion() {
    confirm("s", 1);
    confirmTwo(17, 18);
    confirmTwo(17, 18);
    reply(1, 2);
    assertThat(requests()).hasSize(4);
  }

  @Test
  void confirm_serverHasTheCall_waitsForTheReplicas() {
    CompletableFuture<String> answer = confirm("s", 5);
    assertThat(requests()).containsExactly("witness s 5");
    reply(1);
    assertThat(requests()).containsExactly("witness s 5", "WAIT 2 700");
    assertThat(answer).isNotDone();
    reply(2);
    assertThat(answer).isCompletedWithValue(null);
  }

  @Test
  void confirm_tooFewReplicas_namesTheirNumber() {
    CompletableFuture<String> answer = confirm("s", 5);
    reply(1, 1);
    assertThat(resultOf(answer)).isEqualTo("1 of 2 replicas confirmed within 700 ms");
  }

  @Test
  void confirm_serverLacksTheCall_namesTheReasonAndDoesNotWait() {
    CompletableFuture<String> answer = confirm("s", 5);
    reply(0);
    assertThat(resultOf(answer)).contains("does not have it any more");
    assertThat(requests()).containsExactly("witness s 5");
  }

  @Test
  void confirm_duringARound_sharesTheNextRoundWithTheHighestNumber() {
    CompletableFuture<String> first = confirm("s", 1);
    CompletableFuture<String> second = confirm("s", 3);
    CompletableFuture<String> third = confirm("s", 2);
    CompletableFuture<String> other = confirm("t", 9);
    reply(1, 2);
    assertThat(first).isCompleted();
    assertThat(List.of(second, third, other)).noneMatch(CompletableFuture::isDone);
    assertThat(requests())
        .containsExactly("witness s 1", "WAIT 2 700", "witness s 3", "witness t 9");
    reply(1, 1);
    assertThat(requests()).hasSize(5).last().isEqualTo("WAIT 2 700");
    reply(2);
    assertThat(List.of(second, third, other))
        .allSatisfy(answer -> assertThat(answer).isCompletedWithValue(null));
  }

  @Test
  void confirm_oneSessionIsLost_theOtherIsStillConfirmed() {
    confirm("x", 1);
    CompletableFuture<String> lost = confirm("s", 1);
    CompletableFuture<String> kept = confirm("t", 1);
    reply(1, 2, 0, 1, 2);
    assertThat(resultOf(lost)).contains("does not have it any more");
    assertThat(kept).isCompletedWithValue(null);
  }

  @Test
  void confirm_connectionLostDuringTheWait_failsAndTheNextRoundAsksAgain() {
    CompletableFuture<String> answer = confirm("s", 5);
    reply(1);
    server.link().lose();
    assertThat(failureOf(answer)).isInstanceOf(RedisCallException.Unanswered.class);
    CompletableFuture<String> again = confirm("s", 5);
    timer.advance(Duration.ofMillis(50));
    reply(1, 2);
    assertThat(again).isCompletedWithValue(null);
  }

  @Test
  void confirm_connectionLostBeforeTheWitness_failsAllOfTheRound() {
    CompletableFuture<String> answer = confirm("s", 5);
    CompletableFuture<String> next = confirm("t", 6);
    server.link().lose();
    assertThat(failureOf(answer)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(next).isNotDone();
    timer.advance(Duration.ofMillis(50));
    reply(1, 2);
    assertThat(next).isCompletedWithValue(null);
  }

  @Test
  void confirmer_sameDurability_isSharedAndOthersHaveTheirOwn() {
    assertThat(connections.confirmer(REPLICAS)).isSameAs(confirmer);
    assertThat(connections.confirmer(new Durability(false, 1))).isNotSameAs(confirmer);
  }

  @Test
  void renew_roundInFlight_failsItAndUsesANewConnection() {
    CompletableFuture<String> answer = confirm("s", 5);
    connections.renew();
    assertThat(failureOf(answer)).isInstanceOf(RedisCallException.Unanswered.class);
    confirm("s", 5);
    timer.advance(Duration.ofMillis(50));
    assertThat(server.connects()).isEqualTo(2);
  }

  @Test
  void end_roundInFlight_failsItAndLaterQuestions() {
    CompletableFuture<String> answer = confirm("s", 5);
    assertThat(connections.end()).isCompleted();
    assertThat(failureOf(answer)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(failureOf(confirm("s", 6))).isInstanceOf(RedisCallException.NotSent.class);
    Confirmer late = connections.confirmer(new Durability(false, 1));
    assertThat(failureOf(late.confirm(Witness.ofCall("s", 7))))
        .isInstanceOf(RedisCallException.NotSent.class);
    assertThat(server.connects()).isEqualTo(1);
  }
}
