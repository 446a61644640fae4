package io.punctual.lock.internal.kind;

import io.punctual.lock.DistributedSemaphore;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.Attempts;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.client.RepeatedCall;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.redis.client.connection.RedisReply;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** A semaphore on a server. Immutable. */
public final class ServerSemaphore extends AbstractLock implements DistributedSemaphore {
  private static final int MOST = 10_000;
  private static final String DRAIN = "drain";

  private final Attempts attempts;
  private final LockClient client;
  private final LockKeys keys;
  private final int limit;
  private final int permits;
  private final LockOptions options;

  /**
   * Creates a semaphore.
   *
   * @param limit the number of permits that this client sets, without added permits
   * @param permits the number of permits that each acquisition takes
   */
  public ServerSemaphore(
      Attempts attempts, LockKeys keys, int limit, int permits, LockOptions options) {
    super(keys.name(), attempts.client().executor());
    this.attempts = attempts;
    this.client = attempts.client();
    this.keys = keys;
    this.limit = limit;
    this.permits = permits;
    this.options = options;
  }

  /**
   * Returns this number of permits.
   *
   * @throws IllegalArgumentException if the number is out of range
   */
  public static int check(int permits) {
    if (permits < 1 || permits > MOST) {
      throw new IllegalArgumentException(
          "A semaphore has 1 to " + MOST + " permits, but was asked for " + permits);
    }
    return permits;
  }

  @Override
  public PendingAcquisition ask(long waitNanos) {
    String mode = "p" + limit + (permits == 1 ? "" : "." + permits);
    return attempts.start(keys, options, mode, waitNanos);
  }

  @Override
  public int addPermits(int permits) {
    LockReplyReader reply = change(Integer.toString(permits));
    reply.number();
    long total = reply.number();
    if (reply.number() == 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "Semaphore '%s' has %d permits; %d more would not be within 0 to %d",
              name(),
              total,
              permits,
              MOST));
    }
    return (int) total;
  }

  @Override
  public int drainPermits() {
    return (int) Math.max(0, change(DRAIN).number());
  }

  @Override
  public int availablePermits() {
    return (int) Math.max(0, change("0").number());
  }

  private LockReplyReader change(String by) {
    List<byte[]> argv =
        List.of(
            client.publishing(keys),
            LockRequests.bytes(limit),
            LockRequests.bytes(by),
            LockRequests.bytes(MOST),
            LockRequests.bytes(RepeatedCall.rememberedMillis(client)));
    String what = "The permits of semaphore '" + name() + "' were not counted or changed";
    return new LockReplyReader(
        RepeatedCall.ask(
            client,
            LockScripts.PERMITS,
            "p" + limit,
            id -> new RepeatedCall.Arguments(keys.withCounter(id), argv),
            what));
  }

  @Override
  public boolean release(String id) {
    if (!HandleIds.hasPermits(id)) {
      throw new IllegalArgumentException(
          "'" + id + "' is not the id of a semaphore's handle; pass the result of LockHandle.id()");
    }
    List<byte[]> argv =
        List.of(
            client.publishing(keys),
            LockRequests.bytes(id),
            LockRequests.bytes(RepeatedCall.rememberedMillis(client)));
    RedisReply answer =
        RepeatedCall.askOnce(
            client,
            LockScripts.RELEASE_BY_ID,
            keys.withCounter(id),
            argv,
            "A permit of semaphore '" + name() + "' was perhaps not released");
    return new LockReplyReader(answer).number() == 1;
  }

  private ServerSemaphore with(LockOptions other) {
    return new ServerSemaphore(attempts, keys, limit, permits, other);
  }

  @Override
  public DistributedSemaphore withPermits(int permits) {
    return new ServerSemaphore(attempts, keys, limit, check(permits), options);
  }

  @Override
  public DistributedSemaphore withLease(Duration lease) {
    return with(options.withLease(lease));
  }

  @Override
  public DistributedSemaphore withReplicas(int replicas) {
    return with(options.withReplicas(replicas));
  }

  @Override
  public DistributedSemaphore withAllReplicas() {
    return with(options.withAllReplicas());
  }
}
