package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.connection.Subscriptions;
import io.punctual.timer.DueTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Listens to all Sentinels in the URL for a replacement of the primary. The Sentinels inform the
 * former primary seconds later, and until then the former primary still replies to clients. The
 * Sentinels learn of a replacement at different times, and the Sentinel that named the primary to
 * this client may be the last to learn of it. So a notice from any Sentinel counts. Thread-safe.
 */
final class PrimaryWatch {
  private static final String CHANNEL = "+switch-master";

  private final List<Subscriptions> sentinels;

  /**
   * Creates a watch, and starts to connect to the Sentinels.
   *
   * @param replaced runs when the primary was replaced, or may have been replaced while the
   *     connection to a Sentinel was lost
   */
  PrimaryWatch(RedisClient client, RedisURI uri, DueTimer timer, Runnable replaced) {
    sentinels =
        uri.getSentinels().stream()
            .map(s -> new Subscriptions(client, s, timer, () -> false, failure -> {}))
            .toList();
    for (Subscriptions sentinel : sentinels) {
      sentinel.add(CHANNEL, new SwitchSubscriber(uri.getSentinelMasterId() + " ", replaced));
    }
  }

  /**
   * Receives the notices of a Sentinel. The notices concern all primaries that the Sentinel
   * watches.
   */
  private static final class SwitchSubscriber implements Subscriber {
    private final String prefix;
    private final Runnable replaced;
    private boolean begunBefore;

    SwitchSubscriber(String prefix, Runnable replaced) {
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

  /** Closes the watch; completes when its connections have ended. */
  CompletableFuture<Void> end() {
    return CompletableFuture.allOf(
        sentinels.stream().map(Subscriptions::end).toArray(CompletableFuture[]::new));
  }
}
