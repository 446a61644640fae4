package io.punctual.lock.internal.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.punctual.Durability;
import io.punctual.lock.LockKind;
import io.punctual.lock.LockListener;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Keyword;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of a Redis deployment: the connections, the timer, the executor, the ids of handles and
 * the events, which all locks of a {@code RedisLocks} share. Thread-safe.
 */
public final class LockClient {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int TRIES = 50;

  private final Deployment deployment;
  private final CallbackExecutor executor;
  private final RandomGenerator random;
  private final HandleIds ids;
  private final LockEvents events;
  private final LockRequests requests;
  private final OpenWaits waits = new OpenWaits();
  private final ElapsedTime elapsed = new ElapsedTime(System::currentTimeMillis, System::nanoTime);
  private volatile boolean closed;

  /** Creates a client with a new id. */
  public LockClient(
      Deployment deployment,
      CallbackExecutor executor,
      RandomGenerator random,
      List<LockListener> listeners) {
    this.deployment = deployment;
    this.executor = executor;
    this.random = random;
    this.ids = new HandleIds(random);
    this.events = new LockEvents(listeners);
    this.requests = new LockRequests(this);
  }

  public Deployment deployment() {
    return deployment;
  }

  public CallbackExecutor executor() {
    return executor;
  }

  /** Returns the source of random pauses. */
  public RandomGenerator random() {
    return random;
  }

  public HandleIds ids() {
    return ids;
  }

  /** Returns the counters and listeners of events. */
  public LockEvents events() {
    return events;
  }

  /** Returns the calls that acquire and renew locks. */
  public LockRequests requests() {
    return requests;
  }

  /** Returns the waits that end when the client is closed. */
  public OpenWaits waits() {
    return waits;
  }

  /**
   * Returns the keys of a lock.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public LockKeys keys(LockKind kind, String name) {
    return new LockKeys(namespace(), kind, LockKeys.checkName(name));
  }

  /** Returns the prefix of all keys and channels. */
  public String namespace() {
    return deployment.settings().namespace();
  }

  /** Returns the channel on which this client receives grants. */
  public String channel(LockKeys keys) {
    return keys.channel(deployment.hasShardedChannels()) + ids.client();
  }

  /**
   * Returns the argument with which scripts notify clients, for example of grants: the command, a
   * space, and the prefix of the clients' channels.
   */
  public byte[] publishing(LockKeys keys) {
    boolean sharded = deployment.hasShardedChannels();
    return ((sharded ? "SPUBLISH " : "PUBLISH ") + keys.channel(sharded)).getBytes(US_ASCII);
  }

  /**
   * Publishes a grant on the channel of the handle's client, as line.lua does.
   *
   * @param any the keys of a lock in the same bucket
   */
  public void publish(LockKeys any, LockRequests.Passed grant) {
    if (!deployment.hasChannels()) {
      return;
    }
    boolean sharded = deployment.hasShardedChannels();
    String owner = grant.handle().substring(0, grant.handle().indexOf(':'));
    String text = grant.handle() + " " + grant.token() + " " + grant.millis();
    ProtocolKeyword publish = sharded ? Keyword.SPUBLISH : CommandType.PUBLISH;
    CompletableFuture<?> unused =
        deployment
            .link(any.counter())
            .send(Request.of(publish, any.channel(sharded) + owner, text));
  }

  /** Returns the time of the timer's monotonic clock, with the suspensions of the machine. */
  public long nanoTime() {
    return deployment.timer().nanoTime() + elapsed.missedNanos();
  }

  /** Runs a script. Never throws, because the caller has changed its state already. */
  public CompletableFuture<RedisReply> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    return send(() -> deployment.run(script, keys, argv));
  }

  private CompletableFuture<RedisReply> send(Supplier<CompletableFuture<RedisReply>> sending) {
    events.scriptSent();
    try {
      return sending.get();
    } catch (Throwable e) { // for example because memory is short
      return CompletableFuture.failedFuture(Failures.of(e, true));
    }
  }

  /**
   * Runs a short script by its text. Unlike {@link #run}, the script never runs after later
   * requests of the caller, even if the server had forgotten the script. Never throws.
   */
  public CompletableFuture<RedisReply> runInOrder(
      Script script, List<byte[]> keys, List<byte[]> argv) {
    return send(() -> deployment.link(keys.get(0)).send(Request.byText(script, keys, argv)));
  }

  /**
   * Runs a task after this time; returns null if the timer is closed, or fails. Tries again for a
   * second if memory is short, because the watch of a lease must not end. Never throws, because the
   * caller has changed its state already.
   */
  public @Nullable Timeout after(long nanos, Runnable task) {
    for (int tries = 1; ; tries++) {
      try {
        return deployment.timer().schedule(nanos, task);
      } catch (Throwable e) {
        if (!(e instanceof OutOfMemoryError) || tries == TRIES) {
          return null;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Returns the time within which a request gets its reply, or its connection fails, and replicas
   * confirm the change.
   */
  public long answerTimeoutNanos() {
    RedisSettings settings = deployment.settings();
    return settings
        .commandTimeout()
        .plus(settings.connectTimeout())
        .plus(settings.durabilityTimeout(settings.durability()))
        .toNanos();
  }

  /** Returns the default options, with this lease. */
  public LockOptions options(Duration lease) {
    Durability durability = deployment.settings().durability();
    return new LockOptions(LockOptions.renewedLease(lease), true, durability, false);
  }

  /** Returns whether the client is closed, or is being closed. */
  public boolean isClosed() {
    return closed;
  }

  /** Marks the client as closed; returns false if it was marked before. */
  public synchronized boolean beginClose() {
    boolean was = !closed;
    closed = true;
    return was;
  }

  /** Closes the connections. Later callbacks still run. */
  public void disconnect() {
    deployment.close();
    executor.close();
  }
}
