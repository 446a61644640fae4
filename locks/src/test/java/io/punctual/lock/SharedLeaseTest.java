package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.fault.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests the leases of readers and of permits when they end, and clients with different numbers of
 * permits.
 */
final class SharedLeaseTest extends LockTestServer {
  @Test
  void deadReader_besideALivingOne_neitherLetsAWriterInNorKeepsItOut() throws Exception {
    RedisLocks living = open();
    LockHandle reads = living.readWrite("a").read().acquire();
    CompletableFuture<LockHandle> writer;
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks dying = open(behind(proxy).lease(SHORT_LEASE));
      LockHandle dead = dying.readWrite("a").read().acquire();
      writer = future(open().readWrite("a").write().acquireAsync());
      await().until(() -> waiting(living, LockKind.READ_WRITE, "a") == 1);
      proxy.blackHole();
      await().until(() -> !dead.isHeld());
      outlastAShortLease();
    }
    assertThat(reads.isHeld()).isTrue();
    assertThat(writer).as("the living reader is still there").isNotDone();
    assertThat(living.find(LockKind.READ_WRITE, "a").orElseThrow().holders()).hasSize(1);

    reads.close();

    assertThat(get(writer).isHeld()).isTrue();
  }

  @Test
  void livingReader_thatLeaves_leavesTheDeadOnesLeaseToEnd() throws Exception {
    RedisLocks locks = open();
    LockHandle reads = locks.readWrite("a").read().acquire();
    LockHandle dead = deadReader();
    CompletableFuture<LockHandle> writer = future(locks.readWrite("a").write().acquireAsync());
    await().until(() -> waiting(locks, LockKind.READ_WRITE, "a") == 1);

    reads.close();

    assertThat(get(writer).fencingToken()).isGreaterThan(dead.fencingToken());
    assertThat(dead.isHeld()).as("before the writer has it").isFalse();
  }

  /**
   * Returns the handle of a reader whose client no longer reaches the server, as if it had died.
   */
  private LockHandle deadReader() throws InterruptedException {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks dying = open(behind(proxy).lease(SHORT_LEASE));
      return dying.readWrite("a").read().acquire();
    }
  }

  @Test
  void permitCounts_thatDiffer_eachHoldForTheAttemptThatNamesThem() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    LockHandle first = locks.semaphore("a", 1).tryAcquire().orElseThrow();
    assertThat(others.semaphore("a", 1).tryAcquire()).isEmpty();
    LockHandle second = others.semaphore("a", 3).tryAcquire().orElseThrow();
    LockHandle third = others.semaphore("a", 3).tryAcquire().orElseThrow();
    assertThat(others.semaphore("a", 3).tryAcquire()).isEmpty();
    CompletableFuture<LockHandle> ofTwo = future(locks.semaphore("a", 2).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 1);
    CompletableFuture<LockHandle> ofThree = future(others.semaphore("a", 3).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 2);

    first.close();
    assertThat(others.find(LockKind.SEMAPHORE, "a").orElseThrow().holders()).hasSize(2);
    assertThat(ofTwo).as("two are held").isNotDone();
    assertThat(ofThree).as("it stands behind").isNotDone();
    second.close();

    assertThat(get(ofTwo).isHeld()).isTrue();
    assertThat(get(ofThree).isHeld()).isTrue();
    third.close();
  }

  @Test
  void permit_givenBackAfterItsLease_takesNothingFromItsNextHolder() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    LockHandle late = locks.semaphore("a", 1).withLease(Duration.ofMillis(100)).acquire();
    LockHandle next = others.semaphore("a", 1).acquire();

    assertThat(late.release()).isEqualTo(ReleaseOutcome.LOST);

    assertThat(next.isHeld()).isTrue();
    List<LockHandle> more = new ArrayList<>();
    locks.semaphore("a", 1).tryAcquire().ifPresent(more::add);
    assertThat(more).isEmpty();
    assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
  }
}
