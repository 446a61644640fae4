package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.SettleOutcome;
import io.punctual.StoreRefusedException;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The password of the user changes while the client runs, and later the old one is valid again. */
final class RotatedPasswordTest {
  private RedisProcess redis;
  private Punctual punctual;
  private TimedQueue<String> queue;

  @BeforeEach
  void open() {
    redis = RedisProcess.sharedAndEmpty();
    redis.ask("ACL", "SETUSER", "rotated", "reset", "on", ">old", "~*", "&*", "+@all");
    punctual = Punctual.open("redis://rotated:old@127.0.0.1:" + redis.port());
    queue = punctual.queue("orders", Codec.string());
  }

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  /** Changes the password, and waits until the client has noticed the end of its connection. */
  private void rotate() {
    redis.ask("ACL", "SETUSER", "rotated", "<old", ">new");
    redis.ask("CLIENT", "KILL", "USER", "rotated");
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> queue.find("a"))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("WRONGPASS"));
  }

  @Test
  void calls_afterTheChange_areRefusedAndNameTheCause() {
    queue.schedule(Message.of("a").id("a"));
    rotate();

    assertThatThrownBy(() -> queue.schedule(Message.of("b").id("b")))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("WRONGPASS");
  }

  @Test
  void ack_duringTheChange_isDoneWhenThePasswordIsValidAgain() {
    queue.schedule(Message.of("a").id("a"));
    Delivery<String> delivery =
        queue
            .claim(
                1,
                ClaimOptions.DEFAULT.lease(Duration.ofMinutes(10)).maxWait(Duration.ofMinutes(1)))
            .get(0);
    rotate();
    CompletableFuture<SettleOutcome> acked = delivery.async().ack().toCompletableFuture();
    assertThatThrownBy(() -> queue.find("a")).isInstanceOf(StoreRefusedException.class);
    assertThat(acked).isNotDone();

    redis.ask("ACL", "SETUSER", "rotated", ">old");

    assertThat(acked).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(SettleOutcome.DONE);
    assertThat(queue.find("a")).isEmpty();
  }
}
