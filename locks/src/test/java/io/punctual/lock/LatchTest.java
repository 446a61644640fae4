package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClientClosedException;
import io.punctual.StoreFullException;
import io.punctual.StoreUnavailableException;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class LatchTest extends LockTestServer {
  @Test
  void waiters_goOnWhenTheCountReachesZero() throws Exception {
    RedisLocks locks = open();
    RedisLocks others = open();
    DistributedLatch latch = locks.latch("a b");
    assertThat(latch.count()).isZero();
    assertThat(latch.await(Duration.ZERO)).as("never set").isTrue();
    assertThat(latch.trySet(2)).isTrue();
    assertThat(others.latch("a b").trySet(5)).as("while it counts").isFalse();
    CompletableFuture<Boolean> mine = future(latch.awaitAsync(WAIT));
    CompletableFuture<Boolean> theirs = future(others.latch("a b").awaitAsync(WAIT));

    assertThat(others.latch("a b").countDown()).isOne();
    assertThat(latch.await(Duration.ZERO)).isFalse();
    assertThat(latch.await(Duration.ofMillis(50))).isFalse();
    assertThat(mine).isNotDone();
    assertThat(latch.countDown()).isZero();

    assertThat(get(mine)).isTrue();
    assertThat(get(theirs)).isTrue();
    latch.await();
    assertThat(latch.countDown()).as("below zero").isZero();
    assertThat(latch.trySet(1)).as("again").isTrue();
    assertThat(latch.await(Duration.ZERO)).isFalse();
    assertThat(others.latch("a b").open()).isTrue();
    assertThat(latch.await(WAIT)).isTrue();
  }

  @Test
  void countDown_whoseAnswerIsLost_countsOnce() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      RedisLocks locks = open(impatientBehind(proxy));
      DistributedLatch latch = locks.latch("a");
      latch.trySet(5);
      long before = proxy.swallowedBytes(Direction.TO_CLIENT);
      proxy.swallow(Direction.TO_CLIENT);
      CompletableFuture<Long> counted = CompletableFuture.supplyAsync(latch::countDown);
      await().until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) > before);
      proxy.heal();

      assertThat(get(counted)).isEqualTo(4);
      assertThat(open().latch("a").count()).isEqualTo(4);
    }
  }

  @Test
  void messageThatIsLost_costsASecond() throws Exception {
    DistributedLatch latch = open().latch("a");
    latch.trySet(1);
    CompletableFuture<Boolean> waiting = future(latch.awaitAsync(WAIT));

    redis.ask("DEL", key("a"));

    assertThat(get(waiting)).isTrue();
  }

  @Test
  void messageOfAnEarlierCycle_doesNotEndALaterWait() throws Exception {
    DistributedLatch latch = open().latch("a");
    latch.trySet(1);
    String first = cycle("a");
    latch.countDown();
    latch.trySet(5);
    assertThat(cycle("a")).isNotEqualTo(first);
    CompletableFuture<Boolean> waiting = future(latch.awaitAsync(Duration.ofSeconds(2)));
    await().until(() -> redis.ask("PUBSUB", "CHANNELS", "*latch:a").toString().contains("a"));

    assertThat(redis.ask("PUBLISH", "{punctual:lock}:latch:a", first)).as("waiters").isEqualTo(1L);

    assertThat(get(waiting)).as("the count is 5").isFalse();
    assertThat(latch.count()).isEqualTo(5);
  }

  @Test
  void latchThatIsSetAgainAtOnce_letsTheWaitersOfTheFormerCountGoOn() throws Exception {
    DistributedLatch latch = open().latch("a");
    latch.trySet(1);
    CompletableFuture<Boolean> waiting = future(latch.awaitAsync(WAIT.dividedBy(2)));
    // The reply to this request follows the reply to the first request of the wait.
    assertThat(latch.count()).isOne();

    // This deletion publishes no message.
    redis.ask("DEL", key("a"));
    assertThat(latch.trySet(5)).isTrue();

    assertThat(get(waiting)).isTrue();
    assertThat(latch.await(Duration.ofMillis(50))).as("a wait for the new count").isFalse();
  }

  @Test
  void fullRedis_refusesNewCounts_andGoesOnCountingDown() throws Exception {
    RedisLocks locks = open();
    DistributedLatch counted = locks.latch("a");
    DistributedLatch opened = locks.latch("b");
    counted.trySet(2);
    opened.trySet(2);
    CompletableFuture<Boolean> waiting = future(counted.awaitAsync(WAIT));
    redis.ask("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThat(counted.countDown()).isOne();
      assertThat(counted.count()).isOne();
      assertThat(counted.countDown()).isZero();
      assertThat(get(waiting)).isTrue();
      assertThat(opened.open()).isTrue();
      assertThat(opened.count()).isZero();
      assertThatThrownBy(() -> opened.trySet(1)).isInstanceOf(StoreFullException.class);
    } finally {
      redis.ask("CONFIG", "SET", "maxmemory", "0");
    }
  }

  private String key(String name) {
    int bucket = open().session().client().keys(LockKind.MUTEX, name).bucket();
    return LockKeys.tag("punctual", bucket) + "latch:" + name;
  }

  /**
   * Returns the id of a latch's cycle (from its setting to zero), which the key has after the
   * count.
   */
  private String cycle(String name) {
    String stored = String.valueOf(redis.ask("GET", key(name)));
    return stored.substring(stored.indexOf(' ') + 1);
  }

  @Test
  void silentServer_isNoCount() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port())) {
      ManualClock clock = new ManualClock();
      DistributedLatch latch = open(behind(proxy).timer(clock)).latch("a");
      latch.trySet(1);
      proxy.blackHole();

      assertThatThrownBy(() -> inFastTime(clock, () -> latch.await(Duration.ofMillis(200))))
          .hasCauseInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("'a'");
      assertThatThrownBy(() -> inFastTime(clock, latch::countDown))
          .hasCauseInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> inFastTime(clock, latch::count))
          .hasCauseInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void waits_endWithTheirLocks_orWhenTheyAreGivenUp() throws Exception {
    RedisLocks locks = builder().resources(THREADS).open();
    DistributedLatch latch = locks.latch("a");
    latch.trySet(1);
    CompletableFuture<Boolean> cancelled = future(latch.awaitAsync(WAIT));
    CompletableFuture<Boolean> closed = future(latch.awaitAsync(Duration.ofDays(1)));
    await().until(() -> redis.ask("PUBSUB", "CHANNELS", "*latch:a").toString().contains("a"));
    cancelled.cancel(true);

    locks.close();

    assertThat(closed).failsWithin(WAIT).withThrowableThat().withMessageContaining("closed");
    assertThatThrownBy(() -> latch.await()).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> latch.trySet(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
