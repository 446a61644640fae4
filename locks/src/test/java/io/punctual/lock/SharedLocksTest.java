package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.hold.ReleaseRequest;
import io.punctual.lock.internal.hold.ServerHold;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests read-write locks, semaphores, and locks of several names. */
@SuppressWarnings("LockNotBeforeTry") // The tests check each lock() and unlock() by itself.
final class SharedLocksTest extends LockTestServer {
  @Test
  void readers_holdItTogether_andKeepWritersOut() throws Exception {
    RedisLocks locks = open();
    LockHandle one = locks.readWrite("a").read().acquire();
    LockHandle two = open().readWrite("a").read().acquire();

    assertThat(two.fencingToken()).isGreaterThan(one.fencingToken());
    assertThat(locks.readWrite("a").write().tryAcquire()).isEmpty();
    one.close();
    assertThat(locks.readWrite("a").write().tryAcquire()).isEmpty();
    two.close();
    LockHandle writer = locks.readWrite("a").write().tryAcquire().orElseThrow();
    assertThat(writer.fencingToken()).isGreaterThan(two.fencingToken());
    assertThat(locks.readWrite("a").read().tryAcquire()).isEmpty();
    writer.close();
  }

  @Test
  void reader_afterAWaitingWriter_waitsBehindIt() throws Exception {
    RedisLocks locks = open();
    LockHandle reader = locks.readWrite("a").read().acquire();
    CompletableFuture<LockHandle> writer = future(locks.readWrite("a").write().acquireAsync());
    await().until(() -> waiting(locks, LockKind.READ_WRITE, "a") == 1);
    assertThat(locks.readWrite("a").read().tryAcquire()).isEmpty();
    List<CompletableFuture<LockHandle>> readers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      readers.add(future(open().readWrite("a").read().acquireAsync()));
    }
    await().until(() -> waiting(locks, LockKind.READ_WRITE, "a") == 6);

    reader.close();
    LockHandle writes = get(writer);
    assertThat(readers).noneMatch(CompletableFuture::isDone);
    writes.close();

    for (CompletableFuture<LockHandle> one : readers) {
      assertThat(get(one).isHeld()).as("all readers together").isTrue();
    }
  }

  @Test
  void writer_thatGivesUp_letsReadersIn() throws Exception {
    RedisLocks locks = open();
    LockHandle reader = locks.readWrite("a").read().acquire();
    CompletableFuture<LockHandle> writer = future(locks.readWrite("a").write().acquireAsync());
    await().until(() -> waiting(locks, LockKind.READ_WRITE, "a") == 1);
    CompletableFuture<LockHandle> second = future(open().readWrite("a").read().acquireAsync());
    await().until(() -> waiting(locks, LockKind.READ_WRITE, "a") == 2);

    writer.cancel(true);

    assertThat(get(second).isHeld()).isTrue();
    reader.close();
  }

  @Test
  void downgrade_keepsTheTokenAndWritersOut() throws Exception {
    ManualClock clock = new ManualClock();
    RedisLocks locks = open(clock);
    DistributedReadWriteLock lock = locks.readWrite("a");
    LockHandle writer = lock.write().acquire();
    CompletableFuture<LockHandle> waiting = future(open().readWrite("a").read().acquireAsync());
    await().until(() -> waiting(locks, LockKind.READ_WRITE, "a") == 1);

    LockHandle reader = lock.downgrade(writer).orElseThrow();

    assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
    assertThat(writer.isHeld()).isFalse();
    assertThat(get(waiting).isHeld()).as("readers get in").isTrue();
    assertThat(lock.write().tryAcquire()).isEmpty();
    outlastALease(clock, reader);
    assertThat(reader.isHeld()).isTrue();
    assertThat(reader.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(writer.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(lock.downgrade(writer)).isEmpty();
    assertThatThrownBy(() -> lock.downgrade(get(waiting)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(locks.counters().lost()).isZero();
  }

  @Test
  void downgrade_ofWhatIsNoWriterOfThisLock_isRefused() throws InterruptedException {
    DistributedReadWriteLock lock = open().readWrite("a");
    for (int i = 0; i < 40; i++) {
      // The step is repeated for different numbers in the ids of handles. The numbers are in base
      // 36, so one of them is "w", which is also the mode of a writer.
      try (LockHandle reader = lock.read().acquire()) {
        assertThatThrownBy(() -> lock.downgrade(reader))
            .isInstanceOf(IllegalArgumentException.class);
        assertThat(reader.isHeld()).isTrue();
      }
    }
    try (LockHandle another = open().readWrite("a").write().acquire()) {
      assertThatThrownBy(() -> lock.downgrade(another))
          .as("of another client, maybe of another server")
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(another.isHeld()).isTrue();
    }
  }

  @Test
  void downgrade_thatArrivesAfterItWasGivenUp_changesNothing() throws Exception {
    RedisLocks locks = open();
    LockClient client = locks.session().client();
    LockKeys keys = client.keys(LockKind.READ_WRITE, "a");
    ServerHold writer = (ServerHold) locks.readWrite("a").write().acquire();
    String id = client.ids().next("r", writer.options().leaseMillis());
    ServerHandle reader = new ServerHandle(keys, writer.options(), id);
    ReleaseRequest.send(client, locks.attempts(), reader, 0, true).get(60, TimeUnit.SECONDS);

    LockReplyReader late =
        new LockReplyReader(
            client
                .run(
                    LockScripts.DOWNGRADE,
                    reader.scriptKeys(),
                    List.of(
                        client.publishing(keys),
                        LockRequests.bytes(writer.id()),
                        LockRequests.bytes(id)))
                .get(60, TimeUnit.SECONDS));

    assertThat(late.number()).isZero();
    assertThat(writer.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(locks.find(LockKind.READ_WRITE, "a")).isEmpty();
  }

  @Test
  void semaphore_whoseLeasesEnd_isNeverHeldByMoreThanItsPermits() throws Exception {
    Set<LockHandle> handles = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      DistributedLock lock = open().semaphore("a", 3);
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int k = 0; k < 25; k++) {
                  acquireAndCount(lock.withLease(Duration.ofMillis(10 + k)), handles, k % 3 == 0);
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<?> one : all) {
      one.get(120, TimeUnit.SECONDS);
    }
    assertThat(handles).hasSize(6 * 25);
  }

  private static void acquireAndCount(
      DistributedLock lock, Set<LockHandle> handles, boolean givesBack) {
    try {
      LockHandle handle = lock.acquire();
      handles.add(handle);
      // Each handle in this copy was acquired before this moment. If it holds its permit later, it
      // also holds the permit now.
      List<LockHandle> there = List.copyOf(handles);
      assertThat(there.stream().filter(LockHandle::isHeld)).hasSizeLessThanOrEqualTo(3);
      if (givesBack) {
        handle.close();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void readWriteView_refusesUpgradesAndDowngrades() throws Exception {
    RedisLocks locks = open();
    ReadWriteLock lock = locks.readWrite("a").asReadWriteLock();
    lock.readLock().lock();
    lock.readLock().lock();
    assertThatThrownBy(() -> lock.writeLock().lock())
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("upgraded");
    assertThat(lock.writeLock().tryLock()).as("as java.util.concurrent has it").isFalse();
    assertThat(lock.writeLock().tryLock(1, TimeUnit.DAYS)).as("at once").isFalse();
    lock.readLock().unlock();
    lock.readLock().unlock();

    lock.writeLock().lock();
    lock.writeLock().lock();
    lock.readLock().lock();
    lock.writeLock().unlock();
    assertThat(open().readWrite("a").read().tryAcquire()).isEmpty();
    lock.writeLock().unlock();
    LockHandle other = open().readWrite("a").read().tryAcquire().orElseThrow();
    other.close();
    assertThat(open().readWrite("a").write().tryAcquire()).as("it still reads").isEmpty();
    lock.readLock().unlock();
    assertThat(locks.find(LockKind.READ_WRITE, "a")).isEmpty();
    assertThatThrownBy(() -> lock.writeLock().unlock())
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(() -> lock.readLock().newCondition())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void readWriteView_afterALoss_throws() {
    RedisLocks locks = open();
    ReadWriteLock lock = locks.readWrite("a").asReadWriteLock();
    lock.writeLock().lock();
    locks.forceRelease(LockKind.READ_WRITE, "a");

    assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(LockLostException.class);
    lock.writeLock().lock();
    lock.writeLock().unlock();
  }

  @Test
  void semaphore_hasSoManyPermits_inTheOrderOfArrival() throws Exception {
    RedisLocks locks = open();
    List<LockHandle> held = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      held.add(locks.semaphore("a", 3).tryAcquire().orElseThrow());
    }
    assertThat(locks.semaphore("a", 3).tryAcquire()).isEmpty();
    CompletableFuture<LockHandle> first = future(open().semaphore("a", 3).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 1);
    CompletableFuture<LockHandle> second = future(locks.semaphore("a", 3).acquireAsync());
    await().until(() -> waiting(locks, LockKind.SEMAPHORE, "a") == 2);

    held.get(0).close();
    LockHandle next = get(first);
    assertThat(second).isNotDone();
    next.close();

    assertThat(get(second).isHeld()).isTrue();
    assertThat(locks.find(LockKind.SEMAPHORE, "a").orElseThrow().holders()).hasSize(3);
  }

  @Test
  void semaphore_permitOfOneThatIsGone_comesBack() throws Exception {
    RedisLocks locks = open();
    LockHandle leased = locks.semaphore("a", 1).withLease(Duration.ofMillis(100)).acquire();
    LockHandle next = open().semaphore("a", 1).tryAcquire(WAIT).orElseThrow();

    assertThat(leased.isHeld()).isFalse();
    assertThat(next.isHeld()).isTrue();
    assertThatThrownBy(() -> locks.semaphore("a", 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(next::fencingToken).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void multi_isAllOrNothing() throws Exception {
    RedisLocks locks = open();
    LockHandle b = open().mutex("b").acquire();
    assertThat(locks.multi(List.of("a", "b", "c")).tryAcquire()).isEmpty();
    assertThat(locks.multi(List.of("a", "b", "c")).tryAcquire(Duration.ofMillis(50))).isEmpty();
    await().until(() -> locks.find(LockKind.MUTEX, "a").isEmpty());
    b.close();

    LockHandle all = locks.multi(List.of("c", "b", "a", "b")).acquire();

    assertThat(all.fencingTokens().keySet()).containsExactly("a", "b", "c");
    assertThatThrownBy(all::fencingToken).isInstanceOf(UnsupportedOperationException.class);
    assertThat(locks.mutex("c").tryAcquire()).isEmpty();
    assertThat(all.release()).isEqualTo(ReleaseOutcome.RELEASED);
    assertThat(locks.list(LockKind.MUTEX, 10)).isEmpty();
    assertThatThrownBy(() -> locks.multi(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void multi_givenBackToAServerThatIsFrozen_waitsForOneTimeOutOnly() throws Exception {
    RedisLocks locks =
        open(
            builder()
                .commandTimeout(Duration.ofSeconds(1))
                .durabilityTimeout(Duration.ofMillis(500)));
    List<String> names = IntStream.range(0, 20).mapToObj(i -> "lock-" + i).toList();
    LockHandle all = locks.multi(names).acquire();
    redis.freeze();
    try {
      long start = System.nanoTime();
      assertThat(all.release()).isEqualTo(ReleaseOutcome.UNCONFIRMED);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
      assertThat(all.isHeld()).isFalse();
    } finally {
      redis.thaw();
    }
    RedisLocks others = open();
    await().until(() -> others.multi(names).tryAcquire().isPresent());
  }

  @Test
  void multi_inOppositeOrders_doesNotDeadlock() throws Exception {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      RedisLocks locks = open();
      List<String> names = i % 2 == 0 ? List.of("a", "b", "c") : List.of("c", "b", "a");
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int k = 0; k < 20; k++) {
                  try (LockHandle handle = locks.multi(names).acquire()) {
                    assertThat(handle.isHeld()).isTrue();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<?> one : all) {
      one.get(120, TimeUnit.SECONDS);
    }
  }
}
