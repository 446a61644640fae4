package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.TwemproxyProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests locks behind a proxy that supports no channels, so that no notice of a grant arrives. */
@Timeout(300)
final class LockProxyTest {
  private static final Duration SOON = Duration.ofMillis(1_500);

  @Test
  void locks_behindAProxy_arePassedOnWithinASecondAndAHalf() throws Exception {
    assumeTrue(
        TwemproxyProcess.isInstalled(),
        "Twemproxy is not installed; on Debian: apt-get install nutcracker");
    try (RedisProcess one = RedisProcess.start();
        RedisProcess other = RedisProcess.start();
        TwemproxyProcess proxy = TwemproxyProcess.start(List.of(one, other));
        RedisLocks locks = RedisLocks.open(proxy.url());
        RedisLocks others = RedisLocks.open(proxy.url())) {
      List<Duration> took = new ArrayList<>();
      // One round that the machine does not delay is enough.
      for (int i = 0; i < 20 && (i == 0 || Collections.min(took).compareTo(SOON) >= 0); i++) {
        LockHandle held = locks.mutex("a").acquire();
        CompletableFuture<LockHandle> waiting =
            others.mutex("a").acquireAsync().toCompletableFuture();
        await().until(() -> LockTestServer.waiting(locks, LockKind.MUTEX, "a") == 1);
        long start = System.nanoTime();
        held.close();
        LockHandle next = waiting.get(60, TimeUnit.SECONDS);
        took.add(Duration.ofNanos(System.nanoTime() - start));
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
      }
      assertThat(Collections.min(took)).isLessThan(SOON);
      try (LockHandle all = locks.multi(List.of("b", "c", "d", "e")).acquire()) {
        assertThat(all.isHeld()).isTrue();
      }
    }
  }
}
