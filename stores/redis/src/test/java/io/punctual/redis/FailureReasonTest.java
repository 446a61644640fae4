package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A server that a running client can't use, for each kind of reason: the exceptions of the callers
 * name it, and the log has a line about it.
 */
@Tag("extended")
@Timeout(300)
@Isolated("Captures the log of the process")
final class FailureReasonTest {
  private final RedisProcess redis = RedisProcess.start();
  private final RedisClient operator = RedisClient.create(redis.url());

  @AfterEach
  void stop() {
    operator.shutdown();
    redis.close();
  }

  /**
   * Expects the reason in the exceptions of callers after a fault.
   *
   * @param refuses whether the type of the exceptions must tell that the server refuses calls.
   *     Otherwise, a call may be on its way at the end of its time
   */
  private void expect(boolean refuses, String reason, ThrowingConsumer<String> fault) {
    redis.ask("ACL", "SETUSER", "app", "on", ">old", "~*", "&*", "+@all");
    try (CapturedLog log = new CapturedLog();
        Punctual punctual = Punctual.open("redis://app:old@127.0.0.1:" + redis.port())) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.schedule(Message.of("before"));
      fault.accept("app");
      // A first call can still run, or its connection breaks.
      Throwable first = catchThrowable(() -> queue.schedule(Message.of("first")));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> !log.linesWith("io.punctual.store").isEmpty());
      for (Throwable thrown :
          List.of(
              catchThrowable(() -> queue.schedule(Message.of("a"))),
              catchThrowable(queue::resume))) {
        assertThat(thrown).as("after %s", first).hasMessageContaining(reason);
        assertThat(thrown)
            .isInstanceOfAny(
                refuses ? StoreRefusedException.class : StoreUnavailableException.class,
                refuses ? StoreRefusedException.class : OutcomeUnknownException.class);
        assertThat(thrown).hasRootCauseInstanceOf(RedisException.class);
        assertThat(thrown).rootCause().hasMessageContaining(reason);
      }
      assertThat(log.linesWith("io.punctual.store")).singleElement().asString().contains(reason);
    }
  }

  @Test
  void password_changed_isARefusal() {
    expect(
        true,
        "WRONGPASS",
        user -> {
          redis.ask("ACL", "SETUSER", user, "<old", ">new");
          redis.ask("CLIENT", "KILL", "USER", user);
        });
  }

  @Test
  void user_lostARight_isARefusal() {
    expect(true, "evalsha", user -> redis.ask("ACL", "SETUSER", user, "-evalsha"));
  }

  @Test
  void replicas_tooFew_isNamed() {
    expect(false, "NOREPLICAS", user -> redis.ask("CONFIG", "SET", "min-replicas-to-write", "1"));
  }

  @Test
  void connections_tooMany_isNamed() {
    expect(
        false,
        "max number of clients",
        user -> {
          RedisCommands<String, String> server = operator.connect().sync();
          server.configSet("maxclients", "1");
          server.clientKill(KillArgs.Builder.user(user));
        });
  }
}
