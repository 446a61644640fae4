package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Subscriber;
import io.punctual.spi.Registration;
import io.punctual.spi.WakeUp;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * This client as one that waits for messages of a partition. It listens to a channel of its own, so
 * that the server can wake it and no other client. A claim registers it there if the claim leaves
 * room, see waiting.lua; until then, and where it can't listen, it claims when it knows that
 * something is due. Thread-safe.
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
   * Creates one.
   *
   * @param client the client's name, unique among all clients of the server
   * @param pass tells the server that a client does not wait any more
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
    Registration hints = deployment.subscribe(channel, new Hints(listener));
    return () -> {
      hints.close();
      listeners.remove(listener);
      if (listeners.isEmpty()) {
        listens = false;
        stop();
      }
    };
  }

  /** Takes note of what a claim with its name said: that it waits now, or that it has no room. */
  void claimed(boolean hasRoom) {
    waits = hasRoom;
    if (!hasRoom) {
      // Another worker of this client may have room, and must claim to be registered.
      listeners.forEach(listener -> listener.wakeUp(0));
    }
  }

  /** The client can't take what is due, or leaves: lets the server wake another one. */
  void stop() {
    if (waits) {
      waits = false;
      pass.accept(name);
    }
  }

  /** Hints are microseconds until something is due. The beginning of a subscription is one, too. */
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
