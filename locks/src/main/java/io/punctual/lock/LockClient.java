package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.Durability;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.RedisSettings;
import io.punctual.redis.client.Script;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The parts that all locks of a {@link RedisLocks} share. Thread-safe. */
final class LockClient {
  private final Deployment deployment;
  private final CallbackExecutor executor;
  private final RandomGenerator random;
  private final HandleIds ids;
  private final Tally tally;
  private final LockServer server;
  private final WaitingRoom room;
  private final Watchdog watchdog;
  private final Cohorts cohorts;
  private final ClientCard card;
  private final LatchWaits latches = new LatchWaits();
  private final OwnedHolds owned = new OwnedHolds();
  private final ThreadReadWriteHolds threads = new ThreadReadWriteHolds();
  private volatile boolean closed;

  LockClient(
      Deployment deployment,
      CallbackExecutor executor,
      RandomGenerator random,
      List<LockListener> listeners,
      String name) {
    this.deployment = deployment;
    this.executor = executor;
    this.random = random;
    this.ids = new HandleIds(random);
    this.tally = new Tally(listeners);
    this.server = new LockServer(this);
    this.room = new WaitingRoom(this);
    this.watchdog = new Watchdog(this);
    this.cohorts = new Cohorts(this);
    this.card = new ClientCard(this, name);
  }

  Deployment deployment() {
    return deployment;
  }

  /** Where user code runs. */
  CallbackExecutor executor() {
    return executor;
  }

  RandomGenerator random() {
    return random;
  }

  HandleIds ids() {
    return ids;
  }

  Tally tally() {
    return tally;
  }

  WaitingRoom room() {
    return room;
  }

  LockServer server() {
    return server;
  }

  Watchdog watchdog() {
    return watchdog;
  }

  Cohorts cohorts() {
    return cohorts;
  }

  ClientCard card() {
    return card;
  }

  LatchWaits latches() {
    return latches;
  }

  OwnedHolds owned() {
    return owned;
  }

  ThreadReadWriteHolds threads() {
    return threads;
  }

  LockKeys place(LockKind kind, String name) {
    return new LockKeys(namespace(), kind, LockNames.check(name));
  }

  String namespace() {
    return deployment.settings().namespace();
  }

  /** Returns the channel on which this client receives grants. */
  String channel(LockKeys place) {
    return place.channel(deployment.hasShardedChannels()) + ids.client();
  }

  /** Returns how a script publishes grants: the command, and the prefix of the channels. */
  byte[] publishing(LockKeys place) {
    boolean sharded = deployment.hasShardedChannels();
    return ((sharded ? "SPUBLISH " : "PUBLISH ") + place.channel(sharded)).getBytes(US_ASCII);
  }

  long nanoTime() {
    return deployment.timer().nanoTime();
  }

  /** Runs a script; durable requests have a connection of their own. */
  CompletableFuture<Answer> run(
      Script script, List<byte[]> keys, List<byte[]> argv, boolean durable) {
    tally.sent();
    return (durable ? deployment.durable(keys.get(0)) : deployment.link(keys.get(0)))
        .run(script, keys, argv);
  }

  /** Runs a task later; not at all once the timer is closed. */
  @Nullable Timeout after(long nanos, Runnable task) {
    try {
      return deployment.timer().schedule(nanos, task);
    } catch (RejectedExecutionException timerClosed) {
      return null;
    }
  }

  /** Within this time a question is answered, or its connection given up. */
  long patienceNanos() {
    RedisSettings settings = deployment.settings();
    return settings
        .commandTimeout()
        .plus(settings.connectTimeout())
        .plus(settings.durabilityTimeout(settings.durability()))
        .toNanos();
  }

  /** Returns the default options. */
  LockOptions terms(Duration lease) {
    Durability durability = deployment.settings().durability();
    return new LockOptions(LockOptions.renewedLease(lease), true, durability, false);
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns whether it was open until now. */
  synchronized boolean close() {
    boolean was = !closed;
    closed = true;
    return was;
  }
}
