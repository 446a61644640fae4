package io.punctual.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.test.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests fair locks with holders that die, leases that end, and many waiters. */
final class FairLockTest extends LockTestServer {
  @Test
  void fairWaiter_whenTheHoldersLeaseEnds_isNotOvertakenByAMutex() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    // The state that a killed holder leaves: it neither renews the lease nor releases the lock.
    LockKeys keys = locks.session().client().keys(LockKind.MUTEX, "a");
    String held = new String(keys.held(), StandardCharsets.UTF_8);
    redis.ask("SET", held, "dead:1:x:700 1 0", "PX", "700");
    CompletableFuture<LockHandle> waiting = future(locks.fair("a").acquireAsync());
    await().until(() -> waiting.isDone() || waiting(others, LockKind.MUTEX, "a") == 1);

    while (!waiting.isDone()) {
      assertThat(others.mutex("a").tryAcquire()).isEmpty();
    }

    get(waiting).close();
  }

  /** The waiter's time stands still, so no timer sends the renewal. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void handedOverLock_isRenewedBeforeTheCallerHasIt(boolean fair) throws Exception {
    RedisLocks locks = open();
    RedisLocks waiter = open(new ManualClock());
    LockHandle first = locks.mutex("a").acquire();
    ExclusiveLock wanted = fair ? waiter.fair("a") : waiter.mutex("a");
    CompletableFuture<LockHandle> waiting = future(wanted.acquireAsync());
    LockKeys keys = waiter.session().client().keys(LockKind.MUTEX, "a");
    String channel = waiter.session().client().channel(keys);
    await()
        .until(
            () ->
                redis.ask("PUBSUB", "NUMSUB", channel) instanceof List<?> all
                    && Long.valueOf(1).equals(all.get(1)));

    first.close();
    LockHandle second = get(waiting);

    String held = new String(keys.held(), StandardCharsets.UTF_8);
    await().until(() -> (Long) requireNonNull(redis.ask("PTTL", held)) > LEASE.toMillis() / 2);
    second.close();
  }

  @Test
  void leasesOfTheirOwn_thatNobodyGivesBack_passInTheOrderOfArrival() throws Exception {
    List<RedisLocks> clients = List.of(open(), open(), open());
    Duration lease = Duration.ofMillis(600);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Long> tokens = new CopyOnWriteArrayList<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    LockHandle first = clients.get(0).fair("a").acquire();
    for (int i = 0; i < 6; i++) {
      int number = i;
      DistributedLock lock = clients.get(i % 3).fair("a").withLease(lease);
      all.add(
          future(lock.acquireAsync())
              .thenAccept(
                  handle -> {
                    order.add(number);
                    tokens.add(handle.fencingToken());
                  }));
      await().until(() -> waiting(clients.get(0), LockKind.MUTEX, "a") == number + 1);
    }

    first.close();

    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
    assertThat(order).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void fiveHundredWaiters_haveItInTheOrderOfArrival() throws Exception {
    List<RedisLocks> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(open(builder()));
    }
    LockHandle first = clients.get(0).fair("a").acquire();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      int number = i;
      all.add(
          future(clients.get(i / 100).fair("a").acquireAsync())
              .thenAccept(
                  handle -> {
                    order.add(number);
                    handle.close();
                  }));
      if (number % 100 == 99) {
        // Requests of the same client keep their order. The next client sends its requests after
        // these have arrived.
        await().until(() -> waiting(clients.get(0), LockKind.MUTEX, "a") == number + 1);
      }
    }

    first.close();

    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
    assertThat(order).hasSize(500).isSorted();
  }
}
