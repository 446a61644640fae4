package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests attempts that end although the server may have granted them the lock. */
final class LostHandleTest extends LockTestServer {
  @Test
  void attempt_thatFailsAfterALateGrant_givesTheLockBack() throws Exception {
    // Without the right to run PEXPIRE, the client cannot confirm a late grant by a renewal.
    redis.ask("ACL", "SETUSER", "lame", "on", ">lame", "~*", "&*", "+@all", "-pexpire");
    ManualClock clock = new ManualClock();
    RedisLocks locks =
        open(
            RedisLocks.builder()
                .url(redis.url().replace("redis://", "redis://lame:lame@"))
                .commandTimeout(Duration.ofMinutes(10))
                .timer(clock));
    locks.mutex("warm").acquire().close();
    Duration lease = Duration.ofSeconds(60);
    redis.freeze();
    CompletableFuture<LockHandle> asked;
    try {
      asked = future(locks.mutex("a").withLease(lease).acquireAsync());
      clock.advance(Duration.ofSeconds(45));
    } finally {
      redis.thaw();
    }
    await()
        .until(
            () -> {
              clock.advance(Duration.ofMillis(20));
              return asked.isDone();
            });

    assertThat(asked).isCompletedExceptionally();
    assertThat(open().mutex("a").tryAcquire(WAIT)).as("long before its lease ends").isPresent();
  }
}
