package io.punctual.lock.internal.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.client.OpenWaits;
import io.punctual.lock.internal.client.RequestBatches;
import io.punctual.lock.internal.hold.Watchdog;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReply;
import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Subscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a client to acquire locks. This class starts them, sends their requests, and
 * passes grants to the attempts that wait. Waiting attempts receive grants on a channel of the
 * client. On a Cluster with sharded channels, the client has a channel for each bucket. The first
 * waiter subscribes to the channel. An attempt in the server's line of waiters also repeats its
 * request at least every second, so a lost notice costs a second at most. Thread-safe.
 */
public final class Attempts implements Subscriber, LockRequests.Waiters, OpenWaits.Wait {
  private final LockClient client;
  private final Watchdog watchdog;
  private final Cohorts cohorts;
  private final Map<String, Acquisition> waiting = new ConcurrentHashMap<>();
  private final RequestBatches<Acquisition> batches;
  private final Map<String, ChannelSubscription> subscriptions = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private Attempts(Watchdog watchdog) {
    this.client = watchdog.client();
    this.watchdog = watchdog;
    this.cohorts = new Cohorts(watchdog);
    this.batches =
        new RequestBatches<>(client, one -> one.attempt().handle(), this::ask, Acquisition::fail);
  }

  /**
   * Creates the attempts of the watchdog's client. They end when the client is closed.
   *
   * @param watchdog watches the leases of locks that are acquired
   */
  public static Attempts of(Watchdog watchdog) {
    Attempts attempts = new Attempts(watchdog);
    attempts.client.waits().enter(attempts);
    return attempts;
  }

  public LockClient client() {
    return client;
  }

  /** Returns the watchdog of acquired locks. */
  public Watchdog watchdog() {
    return watchdog;
  }

  Cohorts cohorts() {
    return cohorts;
  }

  /**
   * Starts an attempt.
   *
   * @param mode the mode of the handle; bucket.lua defines the modes
   * @param waitNanos how long the attempt waits: 0 does not wait, {@link LockOptions#FOREVER} waits
   *     without end
   */
  public ServerAcquisition start(LockKeys keys, LockOptions options, String mode, long waitNanos) {
    Attempt attempt = Attempt.begin(this, keys, options, mode, waitNanos);
    client.events().started();
    if (client.isClosed()) {
      return Acquisition.closed(attempt);
    }
    boolean isPassedOn = mode.equals(HandleIds.PUSHING) && options.isPassedOn() && attempt.waits();
    return Acquisition.start(attempt, isPassedOn ? cohorts.expect(keys.name()) : null);
  }

  /** Adds an attempt if it waits for grants and has not ended. */
  void enter(Acquisition acquisition) {
    Attempt attempt = acquisition.attempt();
    if (!attempt.waits()) {
      return;
    }
    waiting.put(attempt.handle().id(), acquisition);
    if (closed) {
      acquisition.close();
    }
    if (acquisition.isOver()) {
      waiting.remove(attempt.handle().id());
    }
  }

  /** Removes an attempt that has ended. */
  void leave(Acquisition acquisition) {
    waiting.remove(acquisition.attempt().handle().id());
  }

  /** Subscribes to the client's channel for a lock, unless it is subscribed already. */
  void listen(LockKeys keys) {
    String channel = client.channel(keys);
    if (!subscriptions.containsKey(channel)) {
      subscribe(channel);
    }
  }

  private synchronized void subscribe(String channel) {
    if (!closed && !subscriptions.containsKey(channel)) {
      subscriptions.put(channel, client.deployment().subscribe(channel, this));
    }
  }

  @Override
  public void begun() {
    batches.sendAll(waiting.values().stream().filter(Acquisition::isWaiting).toList());
  }

  @Override
  public void message(byte[] message) {
    String[] parts = new String(message, UTF_8).split(" ", -1);
    if (parts.length == 3) {
      Acquisition waiter = waiting.get(parts[0]);
      if (waiter != null) {
        granted(waiter, Long.parseLong(parts[1]), Long.parseLong(parts[2]), null);
      }
    }
  }

  /** Repeats the request of a waiter, together with the requests of other waiters that are due. */
  void askAgain(Acquisition acquisition) {
    batches.add(acquisition);
  }

  /** Sends a single request for all locks of a batch; see {@link RequestBatches}. */
  void ask(List<Acquisition> batch) {
    List<Acquisition> asking = new ArrayList<>(batch.size());
    List<LockRequests.Request> requests = new ArrayList<>(batch.size());
    for (Acquisition one : batch) {
      LockRequests.Request request = one.request();
      if (request != null) {
        asking.add(one);
        requests.add(request);
      }
    }
    if (requests.isEmpty()) {
      return;
    }
    long sentAt = client.nanoTime();
    client
        .requests()
        .acquire(requests)
        .whenComplete(
            (replies, failure) -> {
              if (failure == null) {
                answered(asking, replies, sentAt);
              } else if (RequestBatches.isOneToBlame(asking, failure)) {
                asking.forEach(Acquisition::refusedWithOthers);
                asking.forEach(one -> step(one, () -> ask(List.of(one))));
              } else {
                asking.forEach(one -> step(one, () -> one.failed(failure)));
              }
            });
  }

  private void answered(List<Acquisition> asking, LockRequests.Replies replies, long sentAt) {
    for (int i = 0; i < asking.size(); i++) {
      Acquisition one = asking.get(i);
      LockReply reply = replies.replies().get(i);
      step(one, () -> one.answered(reply, sentAt));
    }
    passedOn(asking.get(0).attempt().keys(), replies.passed(), sentAt);
  }

  @Override
  public void passedOn(LockKeys any, List<LockRequests.Passed> locks, long sentAt) {
    for (LockRequests.Passed passed : locks) {
      Acquisition waiter = waiting.get(passed.handle());
      if (waiter != null) {
        granted(waiter, passed.token(), passed.millis(), sentAt);
      } else {
        // The attempt has ended, or the handle belongs to a client that was restored from the same
        // image: the scripts cannot tell them apart, but both listen to the channel.
        client.publish(any, passed);
      }
    }
  }

  private static void granted(Acquisition waiter, long token, long millis, @Nullable Long sentAt) {
    step(waiter, () -> waiter.granted(token, millis, sentAt));
  }

  /**
   * Makes a step of an attempt. If the step throws, for example because memory is short, the
   * attempt fails, and gives back what it has on the server.
   */
  static void step(Acquisition of, Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      of.fail(e);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    subscriptions.values().forEach(ChannelSubscription::close);
    subscriptions.clear();
    waiting.values().forEach(Acquisition::close);
  }
}
