package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Waits until servers that were just started take part in quorum locks. */
final class QuorumProbe {
  private static final Pattern UPTIME = Pattern.compile("uptime_in_seconds:(\\d+)");

  private QuorumProbe() {}

  /** Waits until all servers take part, and not only a majority. */
  static void awaitVoters(List<RedisProcess> servers, Duration longestLease) {
    for (RedisProcess server : servers) {
      await()
          .atMost(longestLease.plusSeconds(60))
          .until(() -> uptimeSeconds(server) > longestLease.plusMillis(999).toSeconds());
    }
  }

  private static long uptimeSeconds(RedisProcess server) {
    Matcher uptime = UPTIME.matcher(String.valueOf(server.ask("INFO", "server")));
    assertThat(uptime.find()).isTrue();
    return Long.parseLong(uptime.group(1));
  }

  static void awaitVoters(QuorumLocks locks) {
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () -> {
              Optional<LockHandle> handle = locks.lock("probe").tryAcquire();
              handle.ifPresent(LockHandle::close);
              return handle.isPresent();
            });
  }
}
