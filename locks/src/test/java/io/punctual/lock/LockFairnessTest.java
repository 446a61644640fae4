package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests how often each contender gets a lock that all contenders request all the time. */
final class LockFairnessTest extends LockTestServer {
  private static final int CLIENTS = 3;
  private static final int THREADS_EACH = 2;

  @Test
  void fair_wantedByAll_goesToEachAboutAsOften() throws Exception {
    AtomicIntegerArray shares = contend(locks -> locks.fair("a"));
    // The contenders take turns, so their shares are equal except for differences at the start and
    // at the end.
    assertThat(least(shares)).isGreaterThanOrEqualTo(most(shares) / 2);
  }

  @Test
  void mutex_wantedByAll_starvesNobody() throws Exception {
    assertThat(least(contend(locks -> locks.mutex("a")))).isGreaterThanOrEqualTo(20);
  }

  @Test
  void readWrite_wantedByAll_starvesNeitherSide() throws Exception {
    AtomicIntegerArray shares =
        contend(
            locks -> locks.readWrite("a").read(),
            locks -> locks.readWrite("a").read(),
            locks -> locks.readWrite("a").write());
    assertThat(least(shares)).isGreaterThanOrEqualTo(20);
  }

  private static int least(AtomicIntegerArray shares) {
    return all(shares).stream().min(Integer::compare).orElseThrow();
  }

  private static int most(AtomicIntegerArray shares) {
    return all(shares).stream().max(Integer::compare).orElseThrow();
  }

  private static List<Integer> all(AtomicIntegerArray shares) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < shares.length(); i++) {
      all.add(shares.get(i));
    }
    return all;
  }

  /**
   * Lets all threads acquire locks until one thread has 200 acquisitions; returns the number of
   * acquisitions of each thread. All threads of a client use the same kind of lock.
   */
  @SafeVarargs
  private AtomicIntegerArray contend(Function<RedisLocks, DistributedLock>... kinds)
      throws Exception {
    AtomicIntegerArray shares = new AtomicIntegerArray(CLIENTS * THREADS_EACH);
    AtomicInteger lost = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    List<DistributedLock> locks = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      locks.add(kinds[client % kinds.length].apply(open()));
      locks.get(client).acquire().close();
    }
    CyclicBarrier start = new CyclicBarrier(CLIENTS * THREADS_EACH);
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS * THREADS_EACH; i++) {
      int me = i;
      DistributedLock lock = locks.get(i / THREADS_EACH);
      threads.add(
          CompletableFuture.runAsync(
              () -> want(lock, shares, lost, me, start, over), task -> new Thread(task).start()));
    }
    for (CompletableFuture<?> thread : threads) {
      thread.get(240, TimeUnit.SECONDS);
    }
    assertThat(lost.get()).as("locks that were lost").isLessThanOrEqualTo(all(shares).size());
    return shares;
  }

  private static void want(
      DistributedLock lock,
      AtomicIntegerArray shares,
      AtomicInteger lost,
      int me,
      CyclicBarrier start,
      AtomicBoolean over) {
    try {
      start.await();
      while (!over.get()) {
        try (LockHandle handle = lock.acquire()) {
          // The first lease is short. On a busy machine, it may end before the client renews it.
          if (!handle.isHeld()) {
            lost.incrementAndGet();
          } else if (shares.incrementAndGet(me) == 200) {
            over.set(true);
          }
        }
      }
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
