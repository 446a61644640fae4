package io.punctual.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Subscriber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the acquire requests of all attempts of a client, and passes grants to the attempts that
 * wait. Waiting attempts receive grants on a channel of the client. On a Cluster with sharded
 * channels, the client has a channel for each bucket. The first waiter subscribes to the channel.
 * Each attempt also repeats its request at least every second, so a lost notice costs a second at
 * most. Thread-safe.
 */
final class AcquireRequests implements Subscriber {
  private final LockClient client;
  private final Map<String, Acquisition> waiting = new ConcurrentHashMap<>();
  private final Coalescer<Acquisition> again;
  private final Map<String, ChannelSubscription> subscriptions = new ConcurrentHashMap<>();
  private final Set<Waiter> elsewhere = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * An attempt that waits on several servers and sends its own requests. This object only ends the
   * attempt.
   */
  interface Waiter {
    /** Ends the attempt because the locks are closed. */
    void close();
  }

  AcquireRequests(LockClient client) {
    this.client = client;
    this.again = new Coalescer<>(client, this::askAll);
  }

  void enter(Acquisition acquisition) {
    waiting.put(acquisition.attempt().handle(), acquisition);
    if (closed) {
      acquisition.close();
    }
  }

  void leave(Acquisition acquisition) {
    waiting.remove(acquisition.attempt().handle());
  }

  void track(Waiter acquisition) {
    elsewhere.add(acquisition);
    if (closed) {
      acquisition.close();
    }
  }

  void forget(Waiter acquisition) {
    elsewhere.remove(acquisition);
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
    askAll(waiting.values().stream().filter(Acquisition::isWaiting).toList());
  }

  @Override
  public void message(byte[] message) {
    String[] parts = new String(message, UTF_8).split(" ", -1);
    if (parts.length == 3) {
      Acquisition waiter = waiting.get(parts[0]);
      if (waiter != null) {
        waiter.granted(Long.parseLong(parts[1]), Long.parseLong(parts[2]), null);
      }
    }
  }

  /** Repeats the request of a waiter, together with the requests of other waiters that are due. */
  void askAgain(Acquisition acquisition) {
    again.add(acquisition);
  }

  private void askAll(Collection<Acquisition> all) {
    RequestBatches.of(all, waiter -> waiter.attempt().keys(), waiter -> waiter.attempt().options())
        .forEach(this::ask);
  }

  /** Sends a single request for all locks of a batch; see {@link RequestBatches}. */
  void ask(List<Acquisition> batch) {
    List<Acquisition> asking = new ArrayList<>(batch.size());
    List<LockServer.Request> requests = new ArrayList<>(batch.size());
    for (Acquisition one : batch) {
      LockServer.Request request = one.request();
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
        .server()
        .acquire(requests)
        .whenComplete(
            (replies, failure) -> {
              if (failure == null) {
                answered(asking, replies, sentAt);
              } else if (RequestBatches.isOneToBlame(asking, failure)) {
                asking.forEach(Acquisition::refusedWithOthers);
                asking.forEach(one -> ask(List.of(one)));
              } else {
                asking.forEach(one -> one.failed(failure));
              }
            });
  }

  private void answered(List<Acquisition> asking, LockServer.Replies replies, long sentAt) {
    for (int i = 0; i < asking.size(); i++) {
      asking.get(i).answered(replies.replies().get(i), sentAt, replies.answer());
    }
    passedOn(replies.passed(), sentAt);
  }

  /**
   * Notifies waiters of this client to which a script has granted locks.
   *
   * @param sentAt when this client sent the script
   */
  void passedOn(List<LockServer.Passed> locks, long sentAt) {
    for (LockServer.Passed passed : locks) {
      Acquisition waiter = waiting.get(passed.handle());
      if (waiter != null) {
        waiter.granted(passed.token(), passed.millis(), sentAt);
      }
    }
  }

  /** Ends all waits. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    subscriptions.values().forEach(ChannelSubscription::close);
    subscriptions.clear();
    waiting.values().forEach(Acquisition::close);
    elsewhere.forEach(Waiter::close);
  }
}
