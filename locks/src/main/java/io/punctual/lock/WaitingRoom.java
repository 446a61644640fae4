package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.Answer;
import io.punctual.redis.client.ChannelSubscription;
import io.punctual.redis.client.Subscriber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Those who wait for locks. All of them are told on one channel of the client's (on a Cluster with
 * sharded channels, one a bucket), subscribed to when the first has to wait; and all of them ask
 * again at least every second, so that what was missed on the channel costs no more than that.
 * Thread-safe.
 */
final class WaitingRoom implements Subscriber {
  private static final byte[] WAITS = {'1'};
  private static final byte[] DOES_NOT = {'0'};

  private final LockClient client;
  private final Map<String, Acquisition> waiting = new ConcurrentHashMap<>();
  private final Coalescer<Acquisition> again;
  private final Map<String, ChannelSubscription> subscriptions = new ConcurrentHashMap<>();
  private final Set<QuorumAcquisition> campaigns = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  WaitingRoom(LockClient client) {
    this.client = client;
    this.again = new Coalescer<>(client, this::askAll);
  }

  void enter(Acquisition acquisition) {
    waiting.put(acquisition.handle(), acquisition);
    if (closed) {
      acquisition.close();
    }
  }

  void leave(Acquisition acquisition) {
    waiting.remove(acquisition.handle());
  }

  void enter(QuorumAcquisition acquisition) {
    campaigns.add(acquisition);
    if (closed) {
      acquisition.close();
    }
  }

  void leave(QuorumAcquisition acquisition) {
    campaigns.remove(acquisition);
  }

  /** Subscribes to the client's channel for a lock, if that was not done before. */
  void listen(LockKeys place) {
    String channel = client.channel(place);
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

  /** Asks for one that waits, together with others whose time has come. */
  void askAgain(Acquisition acquisition) {
    again.add(acquisition);
  }

  private void askAll(Collection<Acquisition> all) {
    Batches.of(all, Acquisition::place, Acquisition::terms).forEach(this::ask);
  }

  /** Asks for all of these, which one script can be asked. */
  void ask(List<Acquisition> batch) {
    List<Acquisition> asking = new ArrayList<>(batch.size());
    for (Acquisition one : batch) {
      if (one.asks()) {
        asking.add(one);
      }
    }
    if (asking.isEmpty()) {
      return;
    }
    Acquisition any = asking.get(0);
    List<byte[]> keys = new ArrayList<>(1 + 5 * asking.size());
    List<byte[]> argv = new ArrayList<>(1 + 3 * asking.size());
    keys.add(any.place().counter());
    argv.add(client.publishing(any.place()));
    for (Acquisition one : asking) {
      keys.addAll(one.place().keys(one.handle()));
      argv.add(one.handle().getBytes(US_ASCII));
      argv.add(one.waits() ? WAITS : DOES_NOT);
      argv.add(Long.toString(one.arrival()).getBytes(US_ASCII));
    }
    long sentAt = client.nanoTime();
    client
        .run(LockScripts.of(any.place().kind()).acquire(), keys, argv, any.terms().isDurable())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(asking, answer, sentAt);
              } else if (Batches.isOneToBlame(asking, failure)) {
                asking.forEach(Acquisition::refusedWithOthers);
                asking.forEach(one -> ask(List.of(one)));
              } else {
                asking.forEach(one -> one.failed(failure));
              }
            });
  }

  private void answered(List<Acquisition> asking, Answer answer, long sentAt) {
    Reading reading = new Reading(answer);
    for (Acquisition one : asking) {
      one.answered(reading.text(), reading.number(), reading.number(), sentAt, answer);
    }
    passedOn(reading, sentAt);
  }

  /** Takes note of locks that passed to waiters of this client, by a script sent at this time. */
  void passedOn(Reading reading, long sentAt) {
    while (reading.hasNext()) {
      Acquisition waiter = waiting.get(reading.text());
      long token = reading.number();
      long millis = reading.number();
      if (waiter != null) {
        waiter.granted(token, millis, sentAt);
      }
    }
  }

  /** Ends all waiting. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    subscriptions.values().forEach(ChannelSubscription::close);
    subscriptions.clear();
    waiting.values().forEach(Acquisition::close);
    campaigns.forEach(QuorumAcquisition::close);
  }
}
