package io.punctual.redis;

import io.punctual.redis.client.deployment.Deployment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time between two safety checks of a client. All clients of a server that announce workers
 * together send about a fixed number of check scripts a second, if they ask about as many
 * partitions each. Thread-safe.
 */
final class SafetyCheckPace {
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** How long a number of clients counts; clients announce themselves more often. */
  private static final long COUNT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Duration shortest;
  private final int partitionsOfScript;
  private final int scriptsOfSecond;
  private final LongSupplier nanoTime;

  /** The clients that this store announces, with the time: more than one in a server. */
  private final Map<String, Long> announced = new ConcurrentHashMap<>();

  private volatile long clients;
  private volatile long countedNanos;
  private volatile boolean hearsHints = true;
  private volatile boolean isAnswered = true;

  private SafetyCheckPace(
      Duration shortest, int partitionsOfScript, int scriptsOfSecond, LongSupplier nanoTime) {
    this.shortest = shortest;
    this.partitionsOfScript = partitionsOfScript;
    this.scriptsOfSecond = scriptsOfSecond;
    this.nanoTime = nanoTime;
    this.countedNanos = nanoTime.getAsLong();
  }

  static SafetyCheckPace of(Deployment deployment) {
    LongSupplier nanoTime = deployment.timer()::nanoTime;
    if (!deployment.hasChannels()) {
      // The checks find every message of other clients, because there are no hints.
      return new SafetyCheckPace(Duration.ofSeconds(1), 1, Integer.MAX_VALUE, nanoTime);
    }
    return deployment.isOneServer() ? oneServer(nanoTime) : cluster(nanoTime);
  }

  static SafetyCheckPace oneServer(LongSupplier nanoTime) {
    return new SafetyCheckPace(
        Duration.ofSeconds(1), SafetyQuestion.PARTITIONS_A_SCRIPT, 100, nanoTime);
  }

  /** A Cluster has several servers, and the scripts of a client arrive there together. */
  static SafetyCheckPace cluster(LongSupplier nanoTime) {
    return new SafetyCheckPace(Duration.ofSeconds(5), 1, 500, nanoTime);
  }

  /**
   * Learns from an announcement how many clients have workers, of this store and others.
   *
   * @param isListed whether the client has workers from now on
   */
  void announced(String client, boolean isListed, long all) {
    long now = nanoTime.getAsLong();
    if (isListed) {
      announced.put(client, now);
    } else {
      announced.remove(client);
    }
    announced.values().removeIf(since -> now - since > COUNT_NANOS);
    clients = all;
    countedNanos = now;
  }

  /**
   * Learns from a check. Without hints, or answers, the checks go on at the shortest interval.
   *
   * @param hears whether the store receives hints for all partitions
   */
  void checked(boolean hears, boolean answered) {
    hearsHints = hears;
    isAnswered = answered;
  }

  /**
   * Returns the time until the next check. Where clients must share, it differs by up to a quarter,
   * so that the clients spread after a failure that they all saw.
   */
  Duration interval(int partitions) {
    long own = Math.max(1, announced.size());
    long share = scripts(partitions) + others() * scripts((partitions + own - 1) / own);
    long millis = Math.min(share * 1000 / scriptsOfSecond, LONGEST.toMillis());
    if (millis <= shortest.toMillis() || !hearsHints || !isAnswered) {
      return shortest;
    }
    long spread = millis - ThreadLocalRandom.current().nextLong(millis / 4 + 1);
    return Duration.ofMillis(Math.max(spread, shortest.toMillis()));
  }

  /** Returns whether the clients are so many that each must send less. */
  boolean isCrowded() {
    return others() > scriptsOfSecond * shortest.toSeconds();
  }

  /** Returns how many clients other stores have, as far as this store knows. */
  private long others() {
    return nanoTime.getAsLong() - countedNanos > COUNT_NANOS
        ? 0
        : Math.max(0, clients - Math.max(1, announced.size()));
  }

  private long scripts(long partitions) {
    return (partitions + partitionsOfScript - 1) / partitionsOfScript;
  }
}
