package io.punctual.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.punctual.timer.DueTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Listens to all Sentinels for the moment in which they replace the primary. The Sentinels inform a
 * former primary only seconds later, and until then it still answers clients. Sentinels learn of
 * the change at different times, and the Sentinel that names the primary may be the last to learn
 * it. So every notice counts, from each Sentinel. Thread-safe.
 */
final class PrimaryWatch {
  private static final String CHANNEL = "+switch-master";

  private final List<Subscriptions> sentinels;

  /** Creates a watch that runs this when the primary has been replaced, or may have been. */
  PrimaryWatch(RedisClient client, RedisURI uri, DueTimer timer, Runnable replaced) {
    sentinels =
        uri.getSentinels().stream()
            .map(s -> new Subscriptions(client, s, timer, () -> false, failure -> {}))
            .toList();
    for (Subscriptions sentinel : sentinels) {
      sentinel.add(CHANNEL, new Listener(uri.getSentinelMasterId() + " ", replaced));
    }
  }

  /** Receives the notices of a Sentinel, which are about all primaries that it watches. */
  private static final class Listener implements Subscriber {
    private final String prefix;
    private final Runnable replaced;
    private boolean begunBefore;

    Listener(String prefix, Runnable replaced) {
      this.prefix = prefix;
      this.replaced = replaced;
    }

    @Override
    public void begun() {
      if (begunBefore) {
        replaced.run();
      }
      begunBefore = true;
    }

    @Override
    public void message(byte[] message) {
      if (new String(message, UTF_8).startsWith(prefix)) {
        replaced.run();
      }
    }
  }

  /** Closes it; completes when its connections have ended. */
  CompletableFuture<Void> end() {
    return CompletableFuture.allOf(
        sentinels.stream().map(Subscriptions::end).toArray(CompletableFuture[]::new));
  }
}
