package io.punctual.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.StoreUnavailableException;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.lock.LockHandle;
import io.punctual.lock.LockKind;
import io.punctual.lock.RedisLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the times of a task's lock, and its failures. */
@Timeout(300)
class LockTimesTest {
  private final RedisProcess redis = RedisProcess.shared();
  private RedisLocks locks;
  private RedisLocks otherProcess;

  @BeforeEach
  void open() {
    redis.ask("FLUSHALL");
    locks = RedisLocks.open(redis.url());
    otherProcess = RedisLocks.open(redis.url());
  }

  @AfterEach
  void close() {
    locks.close();
    otherProcess.close();
  }

  private static LockConfiguration task(Duration atMost, Duration atLeast) {
    return new LockConfiguration(Instant.now(), "report", atMost, atLeast);
  }

  private Optional<SimpleLock> lock(Duration atMost, Duration atLeast) {
    return new PunctualLockProvider(locks).lock(task(atMost, atLeast));
  }

  private Duration remaining() {
    return locks.find(LockKind.MUTEX, "report").orElseThrow().holders().get(0).remaining();
  }

  @Test
  void lockAtMostFor_isTheLeaseOnTheServer() {
    assertThat(lock(Duration.ofMinutes(5), Duration.ZERO)).isPresent();
    assertThat(remaining()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
  }

  @Test
  void lockAtLeastFor_unlockedEarly_staysTakenForTheRest_alsoAfterTheEndOfTheProcess() {
    lock(Duration.ofHours(1), Duration.ofMinutes(5)).orElseThrow().unlock();
    locks.close();
    assertThat(
            new PunctualLockProvider(otherProcess).lock(task(Duration.ofHours(1), Duration.ZERO)))
        .isEmpty();
    Duration rest =
        otherProcess.find(LockKind.MUTEX, "report").orElseThrow().holders().get(0).remaining();
    assertThat(rest).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
  }

  @Test
  void lockAtLeastFor_afterASlowReply_countsFromTheStartOfTheTask() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        RedisLocks slow = RedisLocks.open("redis://127.0.0.1:" + proxy.port())) {
      assertThat(slow.find(LockKind.MUTEX, "report")).isEmpty();
      proxy.delay(Direction.TO_CLIENT, Duration.ofSeconds(1));
      long askedNanos = System.nanoTime();
      SimpleLock lock =
          new PunctualLockProvider(slow)
              .lock(task(Duration.ofHours(1), Duration.ofMinutes(1)))
              .orElseThrow();
      proxy.heal();
      assertTakenForAMinuteFromTheReply(lock, askedNanos);
    }
  }

  /** Asserts that the minute counts from the reply, which came at least a second after the ask. */
  private void assertTakenForAMinuteFromTheReply(SimpleLock lock, long askedNanos) {
    lock.unlock();
    Duration rest = remaining();
    assertThat(rest.plusNanos(System.nanoTime() - askedNanos))
        .isGreaterThan(Duration.ofMillis(60_900));
  }

  @Test
  void wallClockOfTheConfiguration_isWrong_changesNothing() {
    LockConfiguration created =
        new LockConfiguration(
            Instant.now().minus(Duration.ofDays(1)),
            "report",
            Duration.ofMinutes(30),
            Duration.ofMinutes(10));
    new PunctualLockProvider(locks).lock(created).orElseThrow().unlock();
    assertThat(remaining()).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(10));
  }

  @Test
  void extension_replacesBothTimes() {
    SimpleLock first = lock(Duration.ofMinutes(5), Duration.ZERO).orElseThrow();
    SimpleLock extended = first.extend(Duration.ofMinutes(10), Duration.ofMinutes(5)).orElseThrow();
    assertThat(remaining()).isGreaterThan(Duration.ofMinutes(8));
    extended.unlock();
    assertThat(remaining()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
  }

  @Test
  void lockAtLeastFor_afterASlowExtension_countsFromItsReply() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        RedisLocks slow = RedisLocks.open("redis://127.0.0.1:" + proxy.port())) {
      SimpleLock lock =
          new PunctualLockProvider(slow)
              .lock(task(Duration.ofMinutes(1), Duration.ZERO))
              .orElseThrow();
      proxy.delay(Direction.TO_CLIENT, Duration.ofSeconds(1));
      long askedNanos = System.nanoTime();
      SimpleLock extended = lock.extend(Duration.ofHours(1), Duration.ofMinutes(1)).orElseThrow();
      proxy.heal();
      assertTakenForAMinuteFromTheReply(extended, askedNanos);
    }
  }

  @Test
  void lockTakenOver_unlock_leavesTheNewHolderAlone() throws InterruptedException {
    SimpleLock lock = lock(Duration.ofMinutes(1), Duration.ofSeconds(30)).orElseThrow();
    locks.forceRelease(LockKind.MUTEX, "report");
    LockHandle other = otherProcess.mutex("report").acquire();
    lock.unlock();
    assertThat(other.extend(Duration.ofMinutes(1))).isTrue();
    assertThat(lock(Duration.ofMinutes(1), Duration.ZERO)).isEmpty();
  }

  @Test
  void heldMutex_ofAProgram_excludesTheTask() throws InterruptedException {
    try (LockHandle held = otherProcess.mutex("report").acquire()) {
      assertThat(held.isHeld()).isTrue();
      assertThat(lock(Duration.ofMinutes(1), Duration.ZERO)).isEmpty();
    }
    assertThat(lock(Duration.ofMinutes(1), Duration.ZERO)).isPresent();
  }

  @Test
  void serverAway_throws_insteadOfAnEmptyResult() {
    try (RedisProcess away = RedisProcess.start();
        RedisLocks client =
            RedisLocks.builder().url(away.url()).commandTimeout(Duration.ofSeconds(1)).open()) {
      away.kill();
      LockProvider provider = new PunctualLockProvider(client);
      assertThatThrownBy(() -> provider.lock(task(Duration.ofMinutes(1), Duration.ZERO)))
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void lockAtMostFor_outsideTheLimits_isRefusedWithTheLimits() {
    assertThatThrownBy(() -> lock(Duration.ofDays(31), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT720H");
  }
}
