package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.ChannelSubscription;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Subscriber;
import io.punctual.spi.Registration;
import io.punctual.spi.WakeUp;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Registers this client as a waiter for messages of a partition. The client listens to a channel of
 * its own, so that the server can wake it alone. A claim that returns fewer messages than the
 * client has room for registers the client: see waiting.lua. Until then, and where the client can't
 * listen, it claims at the due times that it knows. Thread-safe.
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
   * @param pass notifies the server that a client no longer waits
   */
  Waiter(Deployment deployment, PartitionKeys keys, String client, Consumer<String> pass) {
    this.deployment = deployment;
    this.name = (deployment.hasShardedChannels() ? "S" : "P") + client;
    this.channel = keys.channel(name);
    this.pass = pass;
  }

  /** Returns the client's name, as waiting.lua has it. */
  String name() {
    return name;
  }

  /** Returns its name, or nothing if the server could not wake it. */
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

  /** Notes the result of a claim that carried the name: the client waits now, or has no room. */
  void claimed(boolean hasRoom) {
    waits = hasRoom;
    if (!hasRoom) {
      // A different worker of this client may have room, and must claim to be registered.
      listeners.forEach(listener -> listener.wakeUp(0));
    }
  }

  /** The client leaves or has no room: the server may wake a different client. */
  void stop() {
    if (waits) {
      waits = false;
      pass.accept(name);
    }
  }

  /**
   * A hint is the number of microseconds until a message is due. A new subscription counts as a
   * hint.
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
