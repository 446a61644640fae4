package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.lock.internal.client.CallbackExecutor;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.test.ManualClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the names of the processes that hold locks. */
final class ClientCardTest extends LockTestServer {
  private static String card(RedisLocks locks) {
    return "{punctual:lock}:client:" + locks.session().client().ids().client();
  }

  private static Optional<LockInfo.Client> process(RedisLocks locks, LockKind kind) {
    return holder(locks, kind).client();
  }

  @Test
  void process_thatHoldsALock_isNamed_alsoAfterItIsGone() throws InterruptedException {
    RedisLocks locks = open(builder().name("billing of May"));
    RedisLocks others = open();
    LockHandle handle = locks.mutex("a").acquire();
    long pid = ProcessHandle.current().pid();

    await().until(() -> process(others, LockKind.MUTEX).isPresent());

    LockInfo.Client client = process(others, LockKind.MUTEX).orElseThrow();
    assertThat(client.pid()).isEqualTo(pid);
    assertThat(client.name()).isEqualTo("billing of May");
    assertThat(client).hasToString(pid + "@" + client.host() + " billing of May");
    String key = card(locks);
    assertThat((Long) redis.ask("PTTL", key)).isBetween(1L, Duration.ofHours(1).toMillis());
    handle.releaseAfter(Duration.ofMinutes(5));
    locks.close();
    assertThat(process(others, LockKind.MUTEX)).contains(client);
  }

  @Test
  void mutex_withoutAName_showsHostAndProcess() {
    RedisLocks locks = open();
    assertThat(locks.mutex("a").tryAcquire()).isPresent();

    await().until(() -> process(locks, LockKind.MUTEX).isPresent());

    assertThat(process(locks, LockKind.MUTEX).orElseThrow().name()).isEmpty();
  }

  @Test
  void card_thatIsNonsense_orCannotBeRead_hidesNoLock() throws InterruptedException {
    RedisLocks locks = open();
    assertThat(locks.mutex("a").acquire().isHeld()).isTrue();
    await().until(() -> process(locks, LockKind.MUTEX).isPresent());
    String key = card(locks);

    redis.ask("SET", key, "nonsense");
    assertThat(process(locks, LockKind.MUTEX)).isEmpty();
    redis.ask("DEL", key);
    redis.ask("SADD", key, "1@b");
    assertThat(process(locks, LockKind.MUTEX)).isEmpty();
  }

  @Test
  void lock_noThreadForTheCard_isAcquired_andTheCardFollows() {
    ManualClock clock = new ManualClock();
    AtomicInteger refusals = new AtomicInteger(1);
    CallbackExecutor executor =
        new CallbackExecutor(
            null,
            task -> {
              if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create a thread (of the test)");
              }
              return new Thread(task);
            });
    LockClient client =
        new LockClient(
            open(clock).session().client().deployment(), executor, new SecureRandom(), List.of());
    RedisLocks locks = new RedisLocks(new LockSession(client, ""), LONG);

    assertThat(locks.mutex("a").tryAcquire()).isPresent();
    assertThat(process(locks, LockKind.MUTEX)).isEmpty();

    clock.advance(Duration.ofMinutes(1));
    await().until(() -> process(locks, LockKind.MUTEX).isPresent());
    locks.close();
  }

  @Test
  void nameThatIsNoText_isRefused() {
    assertThatThrownBy(() -> RedisLocks.builder().name("a\nb"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RedisLocks.builder().name("x".repeat(101)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("100");
  }
}
