package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.NotConfirmedException;
import io.punctual.StoreUnavailableException;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.lock.internal.hold.Grant;
import io.punctual.lock.internal.hold.ServerHold;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class ExtensionTest extends LockTestServer {
  @Test
  void ownLease_thatIsExtended_lastsForTheNewTime() throws InterruptedException {
    RedisLocks locks = open();
    Map<LockKind, DistributedLock> all =
        Map.of(
            LockKind.MUTEX, locks.mutex("a"),
            LockKind.READ_WRITE, locks.readWrite("a").write(),
            LockKind.SEMAPHORE, locks.semaphore("a", 1));
    for (Map.Entry<LockKind, DistributedLock> each : all.entrySet()) {
      DistributedLock lock = each.getValue();
      LockHandle handle = lock.withLease(LEASE).acquire();

      assertThat(handle.extend(LONG)).isTrue();

      assertThat(handle.remaining()).isBetween(LONG.minusMinutes(2), LONG);
      assertThat(holder(locks, each.getKey()).remaining())
          .as("on the server")
          .isBetween(LONG.minusMinutes(2), LONG.plusMillis(1));
      assertThat(lock.tryAcquire()).as("others").isEmpty();
      assertThat(handle.extend(Duration.ofSeconds(1))).as("never shorter").isTrue();
      assertThat(handle.remaining()).isGreaterThan(LONG.minusMinutes(2));
      assertThat(handle.release()).isEqualTo(ReleaseOutcome.RELEASED);
      assertThat(handle.extend(LONG)).as("after its release").isFalse();
      assertThat(lock.tryAcquire()).as("others").isPresent();
    }
  }

  @Test
  void renewedLock_thatIsExtended_isNotShortenedByItsRenewals() throws InterruptedException {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    LockHandle mutex = locks.mutex("a").acquire();
    LockHandle reader = locks.readWrite("a").read().acquire();
    assertThat(mutex.extend(LONG) && reader.extend(LONG)).isTrue();

    outlastALease(clock, mutex, reader);

    assertThat(holder(locks, LockKind.MUTEX).remaining()).isGreaterThan(Duration.ofMinutes(8));
    assertThat(holder(locks, LockKind.READ_WRITE).remaining()).isGreaterThan(Duration.ofMinutes(8));
    locks.forceRelease(LockKind.MUTEX, "a");
    clock.advance(LEASE.dividedBy(3));
    advanceUntil(clock, () -> !mutex.isHeld());
  }

  @Test
  void extendedLease_isNotLeftToTheNextHolderOfTheClient() throws Exception {
    RedisLocks locks = open();
    LockHandle first = locks.mutex("a").acquire();
    CompletableFuture<LockHandle> next = future(locks.mutex("a").acquireAsync());
    assertThat(first.extend(LONG)).isTrue();

    first.close();

    assertThat(get(next).remaining()).isLessThanOrEqualTo(LEASE);
    assertThat(holder(locks, LockKind.MUTEX).remaining()).isLessThanOrEqualTo(LEASE);
  }

  @Test
  void lockThatWasTakenAway_isNotExtended_butLost() throws InterruptedException {
    RedisLocks locks = open();
    LockHandle handle = locks.mutex("a").withLease(LONG).acquire();
    CompletableFuture<LockHandle> lost = new CompletableFuture<>();
    handle.onLost(lost::complete);
    locks.forceRelease(LockKind.MUTEX, "a");
    LockHandle other = open().mutex("a").acquire();

    assertThat(handle.extend(LONG)).isFalse();

    assertThat(handle.isHeld()).isFalse();
    assertThat(lost).succeedsWithin(WAIT);
    assertThat(other.isHeld()).isTrue();
  }

  @Test
  void entryThatWasLeft_extendsNothing() throws InterruptedException {
    OwnedLock lock = open().reentrant("a");
    LockHandle outer = lock.acquire();
    LockHandle inner = lock.acquire();
    assertThat(inner.release()).isEqualTo(ReleaseOutcome.STILL_HELD);

    assertThat(inner.extend(LONG)).isFalse();
    assertThat(outer.remaining()).isLessThanOrEqualTo(LEASE);
    assertThat(outer.extend(LONG)).isTrue();
    assertThat(outer.remaining()).isGreaterThan(LEASE);
  }

  @Test
  void severalLocks_areExtendedTogether() throws Exception {
    RedisLocks locks = open();
    DistributedLock lock = locks.multi(List.of("a", "b")).withLease(Duration.ofSeconds(20));
    LockHandle both = lock.acquire();
    assertThat(get(both.extendAsync(LONG))).isTrue();
    assertThat(both.remaining()).isGreaterThan(LONG.minusMinutes(2));

    locks.forceRelease(LockKind.MUTEX, "b");

    assertThat(both.extend(LONG)).isFalse();
  }

  @Test
  void extensionWithoutAnAnswer_failsAndCountsForNothing() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks locks = open(impatientBehind(proxy));
      LockHandle handle = locks.mutex("a").withLease(Duration.ofSeconds(30)).acquire();
      proxy.blackHole();

      assertThatThrownBy(() -> handle.extend(LONG))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'a'");

      assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(30));
      proxy.heal();
    }
  }

  @Test
  void extensionThatNoReplicaConfirms_countsForNothing() throws InterruptedException {
    RedisLocks locks = open(builder().durabilityTimeout(Duration.ofMillis(100)));
    LockHandle handle = locks.mutex("a").acquire();
    assertThat(handle.extend(Duration.ofSeconds(40))).isTrue();
    ServerHold hold = (ServerHold) handle;
    ServerHandle server = hold.handle();
    Grant grant =
        new Grant(
            new ServerHandle(server.keys(), hold.options().withReplicas(1), server.id()),
            hold.token(),
            locks.session().client().nanoTime(),
            (any, passed, sentAt) -> {},
            null,
            () -> false);
    ServerHold copied = new ServerHold(locks.session().watchdog(), grant, hold.lease());

    assertThatThrownBy(() -> copied.extend(LONG)).isInstanceOf(NotConfirmedException.class);

    assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(40));
  }
}
