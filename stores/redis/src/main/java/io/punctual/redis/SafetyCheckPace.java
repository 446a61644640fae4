package io.punctual.redis;

import io.punctual.redis.client.deployment.Deployment;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The time between two safety checks of a client. All clients of a server together send about a
 * fixed number of check scripts a second, however many clients wait there and however many
 * partitions they ask. Thread-safe.
 */
final class SafetyCheckPace {
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Duration shortest;
  private final int partitionsOfScript;
  private final int scriptsOfSecond;
  private volatile long clients = 1;

  private SafetyCheckPace(Duration shortest, int partitionsOfScript, int scriptsOfSecond) {
    this.shortest = shortest;
    this.partitionsOfScript = partitionsOfScript;
    this.scriptsOfSecond = scriptsOfSecond;
  }

  static SafetyCheckPace of(Deployment deployment) {
    if (!deployment.hasChannels()) {
      // The checks find every message of other clients, because there are no hints.
      return new SafetyCheckPace(Duration.ofSeconds(1), 1, Integer.MAX_VALUE);
    }
    return deployment.isOneServer() ? oneServer() : cluster();
  }

  static SafetyCheckPace oneServer() {
    return new SafetyCheckPace(Duration.ofSeconds(1), SafetyQuestion.PARTITIONS_A_SCRIPT, 100);
  }

  /** A Cluster has several servers, and the scripts of a client arrive there together. */
  static SafetyCheckPace cluster() {
    return new SafetyCheckPace(Duration.ofSeconds(5), 1, 500);
  }

  /** Learns how many clients have announced workers or held messages. */
  void clients(long known) {
    clients = Math.max(1, known);
  }

  /**
   * Returns the time until the next check. Where clients must share, it differs by up to a quarter,
   * so that the clients spread after a failure that they all saw.
   */
  Duration interval(int partitions) {
    if (!isShared(partitions)) {
      return shortest;
    }
    long millis = Math.min(share(partitions).toMillis(), LONGEST.toMillis());
    long spread = millis - ThreadLocalRandom.current().nextLong(millis / 4 + 1);
    return Duration.ofMillis(Math.max(spread, shortest.toMillis()));
  }

  /** Returns whether the clients are so many that each must check less often. */
  boolean isShared(int partitions) {
    return share(partitions).compareTo(shortest) > 0;
  }

  private Duration share(int partitions) {
    long scripts = clients * ((partitions - 1) / partitionsOfScript + 1);
    return Duration.ofMillis(scripts * 1000 / scriptsOfSecond);
  }
}
