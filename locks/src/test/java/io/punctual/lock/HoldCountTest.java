package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the number of times that an owner has entered its lock. */
final class HoldCountTest extends LockTestServer {
  @Test
  void holdCount_followsTheEntriesOfItsOwnerOnly() throws Exception {
    OwnedLock lock = open().reentrant("a");
    assertThat(lock.holdCount()).isZero();
    LockHandle outer = lock.acquire();
    LockHandle inner = lock.acquire();

    assertThat(lock.holdCount()).isEqualTo(2);
    assertThat(lock.isHeldByOwner()).isTrue();
    assertThat(lock.ownedBy("somebody").holdCount()).isZero();
    assertThat(get(CompletableFuture.supplyAsync(lock::isHeldByOwner))).isFalse();
    inner.close();
    inner.close();
    assertThat(lock.holdCount()).isOne();
    outer.close();
    assertThat(lock.isHeldByOwner()).isFalse();
  }

  @Test
  void holdCount_ofALostLock_isZero() throws Exception {
    RedisLocks locks = open();
    OwnedLock lock = locks.reentrant("a").ownedBy("me");
    LockHandle handle = lock.acquire();
    CompletableFuture<LockHandle> next = future(lock.ownedBy("you").acquireAsync());
    assertThat(lock.ownedBy("you").holdCount()).as("waits").isZero();
    locks.forceRelease(LockKind.MUTEX, "a");

    await().atMost(WAIT).until(() -> lock.holdCount() == 0);

    assertThat(handle.isHeld()).isFalse();
    assertThat(get(next).isHeld()).isTrue();
    assertThat(lock.ownedBy("you").isHeldByOwner()).isTrue();
  }
}
