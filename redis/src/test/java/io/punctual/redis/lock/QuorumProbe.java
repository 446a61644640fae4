package io.punctual.redis.lock;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Optional;

/** Waits until servers that were just started take part in quorum locks. */
final class QuorumProbe {
  private QuorumProbe() {}

  static void awaitVoters(QuorumLocks locks) {
    await()
        .atMost(Duration.ofSeconds(10))
        .ignoreExceptions()
        .until(
            () -> {
              Optional<LockHandle> handle = locks.lock("probe").tryAcquire();
              handle.ifPresent(LockHandle::close);
              return handle.isPresent();
            });
  }
}
