package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.TwemproxyProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class RedisProxyTest {
  private static final Duration SOON = Duration.ofMillis(300);

  private RedisProcess one;
  private RedisProcess other;
  private TwemproxyProcess proxy;

  @BeforeAll
  void start() {
    assumeTrue(
        TwemproxyProcess.isInstalled(),
        "Twemproxy is not installed; on Debian: apt-get install nutcracker");
    one = RedisProcess.builder().appendOnly("always").start();
    other = RedisProcess.builder().appendOnly("always").start();
    proxy = TwemproxyProcess.start(java.util.List.of(one, other));
  }

  @AfterAll
  void stop() {
    if (proxy != null) {
      proxy.close();
      one.close();
      other.close();
    }
  }

  @Test
  void queue_behindAProxy_livesOnAllServersAndWorks() {
    try (Punctual punctual = Punctual.open(proxy.url())) {
      TimedQueue<String> queue = punctual.queue("spread", Codec.string(), 8);
      queue.scheduleAll(
          IntStream.range(0, 50)
              .mapToObj(i -> Message.of("x").id("id-" + i).dueIn(Duration.ofHours(1)))
              .toList());
      assertThat((Long) one.ask("DBSIZE")).isPositive();
      assertThat((Long) other.ask("DBSIZE")).isPositive();
      assertThat(queue.counts().scheduled()).isEqualTo(50);
      assertThat(queue.cancel("id-7")).isEqualTo(CancelOutcome.CANCELLED);
      assertThat(queue.find("id-7")).isEmpty();
      assertThat(punctual.queues()).contains("spread");
      Set<String> done = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> done.add(delivery.id()));
      queue.runNow("id-8");
      Awaitility.await().until(() -> done.contains("id-8"));
      assertThat(queue.purge(Set.of(State.SCHEDULED))).isEqualTo(48);
    }
  }

  @Test
  void queue_noNumberOfPartitionsIsConfigured_hasOnePartition() {
    try (Punctual punctual = Punctual.open(proxy.url())) {
      assertThat(punctual.queue("usual", Codec.string()).partitions()).isEqualTo(1);
    }
  }

  @Test
  void worker_knowsTheNextDueTime_isPunctual() {
    try (Punctual punctual = Punctual.open(proxy.url())) {
      TimedQueue<String> queue = punctual.queue("punctual", Codec.string(), 2);
      Queue<Duration> lateness = new ConcurrentLinkedQueue<>();
      queue.work(WorkerOptions.builder().build(), delivery -> lateness.add(delivery.lateness()));
      List<Duration> medians = new ArrayList<>();
      // One round that the machine does not delay is enough.
      for (int i = 0; i < 10 && (i == 0 || Collections.min(medians).compareTo(SOON) >= 0); i++) {
        lateness.clear();
        for (int message = 0; message < 10; message++) {
          queue.schedule("x", Duration.ofMillis(1500 + 100L * message));
        }
        Awaitility.await().until(() -> lateness.size() == 10);
        medians.add(lateness.stream().sorted().toList().get(5));
      }
      // If the worker found messages only by the safety check each second, the median delay would
      // be about half a second.
      assertThat(Collections.min(medians)).isLessThan(SOON);
    }
  }

  @Test
  void server_behindTheProxyRestarted_nothingIsLost() {
    try (Punctual punctual = Punctual.open(proxy.url())) {
      TimedQueue<String> queue = punctual.queue("restarted", Codec.string(), 8);
      Set<String> done = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> done.add(delivery.id()));
      for (int i = 0; i < 40; i++) {
        queue.schedule(Message.of("x").id("id-" + i).dueIn(Duration.ofMillis(50L * i)));
      }
      one.kill();
      one.restart();
      Awaitility.await().until(() -> done.size() == 40);
    }
  }

  @Test
  void durability_behindAProxy_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Punctual.open(proxy.url() + "&durability=replicas:1"))
        .withMessageContaining("WAIT");
  }
}
