package io.punctual.redis.client.connection;

import static io.punctual.redis.client.scripted.Outcome.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.punctual.redis.client.scripted.ManualTimer;
import io.punctual.redis.client.scripted.ScriptedClient;
import io.punctual.redis.client.scripted.ScriptedLink;
import io.punctual.redis.client.scripted.ScriptedServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that a connection is passed on only when it accepts commands. */
final class ConnectingTest {
  private final ManualTimer timer = new ManualTimer();
  private final ScriptedClient client = new ScriptedClient();
  private final ScriptedServer server = client.server(6379);

  private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connect() {
    server.hold();
    return Connecting.connect(
        client,
        () -> client.connectAsync(ByteArrayCodec.INSTANCE, RedisURI.create("localhost", 6379)),
        Duration.ofSeconds(5),
        timer);
  }

  @Test
  void connect_madeBeforeItIsActive_waitsUntilItIsActive() {
    CompletableFuture<?> connected = connect();
    ScriptedLink link = server.attempt().completeEarly();
    assertThat(connected).isNotDone();
    link.activate();
    assertThat(connected).isCompleted();
  }

  @Test
  void connect_otherConnectionBecomesActive_waitsForItsOwn() {
    CompletableFuture<?> first = connect();
    CompletableFuture<?> second = connect();
    ScriptedLink one = server.attempt().completeEarly();
    server.attempt().completeEarly().activate();
    assertThat(first).isNotDone();
    assertThat(second).isCompleted();
    one.activate();
    assertThat(first).isCompleted();
  }

  @Test
  void connect_madeButNeverActive_failsInTimeAndClosesIt() {
    CompletableFuture<?> connected = connect();
    ScriptedLink link = server.attempt().completeEarly();
    link.activateQuietly();
    timer.advance(Duration.ofSeconds(5));
    assertThat(failureOf(connected)).hasMessageContaining("no connection within 5000 ms");
    assertThat(link.isOpen()).isFalse();
  }

  @Test
  void connect_endsBeforeItIsActive_fails() {
    CompletableFuture<?> connected = connect();
    ScriptedLink link = server.attempt().completeEarly();
    link.lose();
    assertThat(failureOf(connected)).hasMessageContaining("ended the connection at once");
  }

  /** A server that ends the connection at once, for example without a password, can cause this. */
  @Test
  void connect_handshakeCannotBegin_isTriedAgainUntilTheServerIsHeard() {
    CompletableFuture<?> connected = connect();
    for (int i = 0; i < 3; i++) {
      server.attempt().refuse(new IllegalStateException("RedisHandshakeHandler not registered"));
    }
    assertThat(connected).isNotDone();
    server.attempt().refuse(new IllegalStateException("NOAUTH"));
    assertThat(failureOf(connected)).hasMessageContaining("NOAUTH");
  }

  @Test
  void connect_anyEnd_leavesNoListenerAndNoTimeout() {
    connect();
    connect();
    assertThat(client.listenerCount()).isEqualTo(2);
    server.attempt().accept();
    server.attempt().refuse(new IllegalStateException("refused"));
    assertThat(client.listenerCount()).isZero();
    assertThat(timer.delays()).isEmpty();
  }

  @Test
  void connect_timerIsClosed_fails() {
    timer.close();
    assertThat(connect()).isCompletedExceptionally();
  }
}
