package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.spi.Registration;
import io.punctual.spi.WakeUp;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Receives the server's wake-up hints for a partition, and knows whether this client is registered
 * there as a waiter. The client listens to a channel of its own, so that the server can wake this
 * client alone. A claim registers the client if it returns fewer messages than the client has room
 * for, unless the server ended the claim early: see waiting.lua. A client that is not registered
 * claims at the due times that it knows. Thread-safe.
 */
final class Waiter {
  private final Deployment deployment;
  private final String name;
  private final String channel;
  private final Consumer<String> pass;
  private final List<WakeUp> listeners = new CopyOnWriteArrayList<>();

  /** Whether the server has confirmed the subscription. */
  private volatile boolean listens;

  /** Whether the server knows that this client waits. */
  private volatile boolean waits;

  /**
   * Creates a waiter.
   *
   * @param client the client's name, unique among all clients of the server
   * @param pass receives the name of this client when it no longer waits, and notifies the server
   */
  Waiter(Deployment deployment, PartitionKeys keys, String client, Consumer<String> pass) {
    this.deployment = deployment;
    this.name = (deployment.hasShardedChannels() ? "S" : "P") + client;
    this.channel = keys.channel(name);
    this.pass = pass;
  }

  /** Returns the client's name as waiting.lua stores it: P or S, then the name. */
  String name() {
    return name;
  }

  /**
   * Returns the client's name, or an empty text while the client does not listen to its channel.
   */
  String client() {
    return listens ? name : "";
  }

  boolean waits() {
    return listens && waits;
  }

  Registration add(WakeUp listener) {
    listeners.add(listener);
    ChannelSubscription hints = deployment.subscribe(channel, new Hints(listener));
    return () -> {
      hints.close();
      listeners.remove(listener);
      if (listeners.isEmpty()) {
        listens = false;
        stop();
      }
    };
  }

  /**
   * Records whether a claim that carried the client's name registered the client as waiting. A
   * claim that used up the client's room, or that the server ended early, ended the registration.
   */
  void claimed(boolean hasRoom) {
    waits = hasRoom;
    if (!hasRoom) {
      // Each worker of this client that still has room claims now, which registers the client
      // again.
      listeners.forEach(listener -> listener.wakeUp(0));
    }
  }

  /**
   * Ends the registration, because the client leaves or has no room. The server may then wake a
   * different client.
   */
  void stop() {
    if (waits) {
      waits = false;
      pass.accept(name);
    }
  }

  /**
   * Wakes a worker at each hint, which is the number of microseconds until a message can be
   * claimed. A new subscription wakes the worker as well, because earlier hints may have been
   * missed.
   */
  private final class Hints implements Subscriber {
    private final WakeUp listener;

    Hints(WakeUp listener) {
      this.listener = listener;
    }

    @Override
    public void begun() {
      listens = !listeners.isEmpty();
      listener.wakeUp(0);
    }

    @Override
    public void message(byte[] message) {
      listener.wakeUp(micros(new String(message, UTF_8)));
    }

    private long micros(String text) {
      try {
        return Math.max(0, Long.parseLong(text));
      } catch (NumberFormatException foreign) {
        return 0;
      }
    }
  }
}
