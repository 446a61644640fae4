package io.punctual.lock;

import io.punctual.redis.client.Answer;
import java.time.Duration;
import java.util.List;

/** A semaphore on one server. Immutable. */
final class ServerSemaphore extends AbstractLock implements DistributedSemaphore {
  private static final int MOST = 10_000;
  private static final String DRAIN = "drain";

  private final LockClient client;
  private final LockKeys place;
  private final int limit;
  private final int permits;
  private final LockOptions terms;

  /** Creates one of {@code limit} permits, {@code permits} of which each acquisition takes. */
  ServerSemaphore(LockClient client, LockKeys place, int limit, int permits, LockOptions terms) {
    super(place.name(), client.executor());
    this.client = client;
    this.place = place;
    this.limit = limit;
    this.permits = permits;
    this.terms = terms;
  }

  /** Returns this number of permits, if there can be as many. */
  static int check(int permits) {
    if (permits < 1 || permits > MOST) {
      throw new IllegalArgumentException(
          "A semaphore has 1 to " + MOST + " permits, but was asked for " + permits);
    }
    return permits;
  }

  @Override
  Pending ask(long waitNanos) {
    String mode = "p" + limit + (permits == 1 ? "" : "." + permits);
    return Acquisition.start(client, place, terms, mode, waitNanos);
  }

  @Override
  public int addPermits(int permits) {
    Reading reading = change(Integer.toString(permits));
    reading.number();
    long total = reading.number();
    if (reading.number() == 0) {
      throw new IllegalArgumentException(
          String.format(
              "Semaphore '%s' has %d permits; %d more would not be within 0 to %d",
              name(), total, permits, MOST));
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

  private Reading change(String by) {
    String call = client.ids().next("p" + limit, 0);
    List<byte[]> argv =
        List.of(
            client.publishing(place),
            LockServer.bytes(Integer.toString(limit)),
            LockServer.bytes(by),
            LockServer.bytes(Integer.toString(MOST)),
            LockServer.bytes(Long.toString(RepeatedCall.rememberedMillis(client))));
    String what = "The permits of semaphore '" + name() + "' were not counted or changed";
    return new Reading(
        RepeatedCall.ask(client, LockScripts.PERMITS, place.withCounter(call), argv, what));
  }

  @Override
  public boolean release(String id) {
    if (!HandleIds.hasPermits(id)) {
      throw new IllegalArgumentException(
          "'" + id + "' is no id of a semaphore's handle; LockHandle.id() returns it");
    }
    List<byte[]> argv =
        List.of(
            client.publishing(place),
            LockServer.bytes(id),
            LockServer.bytes(Long.toString(RepeatedCall.rememberedMillis(client))));
    Answer answer =
        RepeatedCall.askOnce(
            client,
            LockScripts.FREE,
            place.withCounter(id),
            argv,
            "A permit of semaphore '" + name() + "' was perhaps not released");
    return new Reading(answer).number() == 1;
  }

  private ServerSemaphore with(LockOptions other) {
    return new ServerSemaphore(client, place, limit, permits, other);
  }

  @Override
  public DistributedSemaphore withPermits(int permits) {
    return new ServerSemaphore(client, place, limit, check(permits), terms);
  }

  @Override
  public DistributedSemaphore withLease(Duration lease) {
    return with(terms.withLease(lease));
  }

  @Override
  public DistributedSemaphore withReplicas(int replicas) {
    return with(terms.withReplicas(replicas));
  }

  @Override
  public DistributedSemaphore withAllReplicas() {
    return with(terms.withAllReplicas());
  }
}
