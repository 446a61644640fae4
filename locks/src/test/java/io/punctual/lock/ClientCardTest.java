package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.lock.internal.client.CallbackExecutor;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.test.ManualClock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
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

  /** A stopped timer that refuses, once, to plan the next write of a card. */
  private record RefusingTimer(ManualClock clock, AtomicInteger refusals) implements DueTimer {
    @Override
    public long nanoTime() {
      return clock.nanoTime();
    }

    @Override
    public Timeout schedule(long delayNanos, Runnable task) {
      boolean isNextWrite =
          StackWalker.getInstance().walk(all -> all.anyMatch(each -> isAgain(each)));
      if (isNextWrite && refusals.getAndDecrement() > 0) {
        throw new InternalError("of the test");
      }
      return clock.schedule(delayNanos, task);
    }

    private static boolean isAgain(StackWalker.StackFrame frame) {
      return frame.getClassName().endsWith("ClientCard") && frame.getMethodName().equals("again");
    }
  }

  @Test
  void card_nextWriteCanNotBePlanned_aLaterLockWritesIt() {
    ManualClock clock = new ManualClock();
    RefusingTimer timer = new RefusingTimer(clock, new AtomicInteger(1));
    RedisLocks locks = open(stopped(builder().lease(LONG), clock).timer(timer));
    assertThat(locks.mutex("a").tryAcquire()).isPresent();
    await().until(() -> timer.refusals.get() == 0);
    redis.ask("DEL", card(locks));

    await()
        .until(
            () -> {
              locks.mutex("b").tryAcquire().orElseThrow().close();
              return process(locks, LockKind.MUTEX).isPresent();
            });
  }

  @Test
  void card_isWrittenAgainWhileALockIsHeld_andAtTheNextLockAfterwards() {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(stopped(builder().lease(LONG), clock));
    LockHandle held = locks.mutex("a").tryAcquire().orElseThrow();
    String key = card(locks);
    await().until(() -> process(locks, LockKind.MUTEX).isPresent());

    redis.ask("DEL", key);
    outlast(LONG, clock, held);
    outlast(LONG, clock, held);
    await().until(() -> process(locks, LockKind.MUTEX).isPresent());

    held.close();
    redis.ask("DEL", key);
    clock.advance(Duration.ofMinutes(20));
    assertThat(redis.ask("EXISTS", key)).isEqualTo(0L);
    assertThat(locks.mutex("a").tryAcquire()).isPresent();
    await().until(() -> process(locks, LockKind.MUTEX).isPresent());
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
