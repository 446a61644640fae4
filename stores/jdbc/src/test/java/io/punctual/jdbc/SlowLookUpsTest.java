package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.spi.Outcome;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Some requests do not wait for slow statements that other requests need. */
final class SlowLookUpsTest {
  private final WatchedSource watched = new WatchedSource(h2());

  private static JdbcDataSource h2() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return source;
  }

  private JdbcStore open() {
    return JdbcStore.builder().dataSource(watched.source()).createTables(true).open();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isLookUp() {
    return Thread.currentThread().getName().startsWith("punctual-jdbc-look-up-");
  }

  @Test
  void pauseAndLimits_lookUpsOfOtherQueuesAreSlow_takeEffect() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    try (Punctual punctual =
        Punctual.builder().store(open()).blockingTimeout(Duration.ofMinutes(1)).build()) {
      TimedQueue<String> large = punctual.queue("large", Codec.string());
      TimedQueue<String> orders = punctual.queue("orders", Codec.string());
      AtomicInteger stuck = new AtomicInteger();
      watched.onStatement =
          sql -> {
            if (isLookUp()) {
              stuck.incrementAndGet();
              await(slow);
            }
          };
      CompletableFuture<?> counts = large.async().counts().toCompletableFuture();
      CompletableFuture<?> purge = large.async().purge(Set.of(State.DEAD)).toCompletableFuture();
      orders.pause();
      orders.setLimits(QueueLimits.none().concurrency(5));
      assertThat(punctual.queues()).contains("orders");
      assertThat(punctual.workers()).isEmpty();
      orders.resume();
      assertThat(counts).isNotDone();
      slow.countDown();
      counts.join();
      purge.join();
      assertThat(orders.counts().limits()).isEqualTo(QueueLimits.none().concurrency(5));
      assertThat(stuck).hasPositiveValue();
    }
  }

  /** Expired ids are deleted in a transaction of their own. */
  @Test
  void call_expiredIdsAreDeletedSlowly_isAnsweredBefore() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    try (JdbcStore store = open()) {
      TestCalls calls = new TestCalls(store, "orders");
      AtomicInteger connections = new AtomicInteger();
      watched.onConnection =
          () -> {
            if (connections.incrementAndGet() > 1) {
              slow.await();
            }
            return null;
          };
      try {
        assertThat(calls.schedule("a")).isInstanceOf(Outcome.OfSchedule.class);
      } finally {
        slow.countDown();
      }
    }
  }
}
