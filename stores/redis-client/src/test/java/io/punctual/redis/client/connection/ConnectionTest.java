package io.punctual.redis.client.connection;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.Resp;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedLink;
import io.punctual.redis.client.scripted.ScriptedServer;
import io.punctual.redis.client.scripted.Settings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests time-outs, limits and error replies of one connection. */
final class ConnectionTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = client.server(6379);
  private final Connection connection =
      new Connection(
          client
              .connectAsync(ByteArrayCodec.INSTANCE, RedisURI.create("localhost", 6379))
              .toCompletableFuture()
              .join(),
          Settings.plain(),
          timer);
  private final ScriptedLink link = server.link();

  private CompletableFuture<List<Object>> get(String key) {
    return connection.send(Request.of(CommandType.GET, key));
  }

  @Test
  void send_noReplyInTime_isUnansweredAndEndsTheConnection() {
    CompletableFuture<List<Object>> reply = get("a");
    timer.advance(TIMEOUT.minusMillis(1));
    assertThat(reply).isNotDone();
    timer.advance(Duration.ofMillis(1));
    assertThat(failureOf(reply))
        .isInstanceOf(RedisCallException.Unanswered.class)
        .hasMessageContaining("did not answer within 5000 ms");
    assertThat(link.isOpen()).isFalse();
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void send_earlierRequestTimesOut_laterRequestsAreUnansweredAsWell() {
    get("a");
    timer.advance(Duration.ofSeconds(3));
    CompletableFuture<List<Object>> later = get("b");
    timer.advance(Duration.ofSeconds(2));
    assertThat(failureOf(later)).isInstanceOf(RedisCallException.Unanswered.class);
  }

  @Test
  void send_replyInTime_leavesNoTimeout() {
    get("a");
    link.reply(Resp.OK);
    assertThat(timer.delays()).isEmpty();
    timer.advance(Duration.ofMinutes(1));
    assertThat(connection.isOpen()).isTrue();
  }

  @Test
  void send_timerFails_isNotSent_andDoesNotCountAsInFlight() {
    timer.fail(Settings.REQUESTS);
    for (int i = 0; i < Settings.REQUESTS; i++) {
      assertThat(failureOf(get("a"))).isInstanceOf(RedisCallException.NotSent.class);
    }
    CompletableFuture<List<Object>> later = get("b");
    link.reply(Resp.OK);
    assertThat(later).isCompleted();
    assertThat(link.requests()).containsExactly("GET b");
  }

  @Test
  void send_tooManyInFlight_isNotSentUntilAReplyArrives() {
    IntStream.range(0, Settings.REQUESTS).forEach(i -> get("a"));
    assertThat(failureOf(get("b")))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining("raise requestQueue");
    assertThat(link.requests()).doesNotContain("GET b");
    assertThat(connection.isOpen()).isTrue();
    link.reply(Resp.OK);
    assertThat(get("c")).isNotDone();
    assertThat(link.requests()).contains("GET c");
  }

  @Test
  void send_connectionIsLostAlready_isNotSent() {
    link.lose();
    assertThat(failureOf(get("a"))).isInstanceOf(RedisCallException.NotSent.class);
    assertThat(link.requests()).isEmpty();
    assertThat(timer.delays()).isEmpty();
  }

  @Test
  void send_lostAlready_takesNoPlaceOfLaterRequests() {
    link.lose();
    for (int i = 0; i <= Settings.REQUESTS; i++) {
      assertThat(failureOf(get("a"))).hasMessageNotContaining("too many");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "READONLY You can't write against a read only replica.",
        "READONLY You can't write against a read only replica. script: 0a, on @user_script:3.",
        "ERR Error running script: -READONLY You can't write against a replica.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "ERR Error running script: -MASTERDOWN Link with MASTER is down"
      })
  void send_replica_isNotSentAndEndsTheConnection(String error) {
    CompletableFuture<List<Object>> reply = get("a");
    link.reply(Resp.error(error));
    assertThat(failureOf(reply)).isInstanceOf(RedisCallException.NotSent.class);
    assertThat(link.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "REDIRECT 10.0.0.2:6379",
        "NOTLEADER I am a follower",
        "NOMASTER no primary behind this address",
        "ERR this node is not the primary"
      })
  void send_otherFormOfNotThePrimary_endsTheConnection(String error) {
    CompletableFuture<List<Object>> reply = get("a");
    link.reply(Resp.error(error));
    assertThat(failureOf(reply)).isInstanceOf(RedisCallException.class);
    assertThat(link.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MOVED 3999 10.0.0.1:6381",
        "ASK 3999 10.0.0.1:6381",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "CLUSTERDOWN The cluster is down",
        "LOADING Redis is loading the dataset in memory",
        "BUSY Redis is busy running a script",
        "NOREPLICAS Not enough good replicas to write.",
        "MISCONF Errors writing to the AOF file"
      })
  void send_passingError_isNotSentAndKeepsTheConnection(String error) {
    CompletableFuture<List<Object>> reply = get("a");
    link.reply(Resp.error(error));
    assertThat(failureOf(reply))
        .isInstanceOf(RedisCallException.NotSent.class)
        .hasMessageContaining(error);
    assertThat(link.isOpen()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "OOM command not allowed when used memory > 'maxmemory'",
        "NOPERM User alice has no permissions to run the 'eval' command",
        "ERR unknown command 'FOO', with args beginning with: 'MOVEDX'"
      })
  void send_lastingError_isRefusedAndKeepsTheConnection(String error) {
    CompletableFuture<List<Object>> reply = get("a");
    link.reply(Resp.error(error));
    assertThat(failureOf(reply))
        .isInstanceOf(RedisCallException.Refused.class)
        .hasMessageContaining(error);
    assertThat(link.isOpen()).isTrue();
  }

  @Test
  void send_wait_timeoutIsLongerByTheTimeoutOfTheWait() {
    Durability replica = new Durability(false, 1);
    CompletableFuture<String> confirmed = connection.confirmation().ask(replica, "key");
    timer.advance(TIMEOUT);
    assertThat(confirmed).isNotDone();
    timer.advance(Duration.ofSeconds(1));
    assertThat(failureOf(confirmed)).isInstanceOf(RedisCallException.Unanswered.class);
  }

  @Test
  void close_twice_completesOnce() {
    CompletableFuture<List<Object>> inFlight = get("a");
    CompletableFuture<Void> closed = connection.close();
    assertThat(connection.close()).isSameAs(closed).isCompleted();
    assertThat(failureOf(inFlight)).isInstanceOf(RedisCallException.Unanswered.class);
    assertThat(connection.isOpen()).isFalse();
  }
}
