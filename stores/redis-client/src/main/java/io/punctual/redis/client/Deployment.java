package io.punctual.redis.client;

import io.punctual.Durability;
import io.punctual.spi.Registration;
import io.punctual.timer.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The connections of this client to a Redis deployment: for calls, for hints, and one for each
 * durability that is asked for; made when they are needed, and again when they were lost.
 *
 * <p>Requests leave in the order in which they come on each {@link ReconnectingConnection}; what
 * must stay in order although its links change goes through a {@link OrderedRoute}. Nothing is sent
 * twice. Implementations are safe for use by many threads.
 */
public interface Deployment extends AutoCloseable {
  /** Returns its URL for people to read, without secrets. */
  String describe();

  /** Returns what it was opened with. */
  RedisSettings settings();

  /** Returns the timer that its waits are on. */
  Timer timer();

  /** Returns whether one server has all keys, so that a script can be about those of many tags. */
  boolean isOneServer();

  /** Returns whether another server takes over when a server fails: Sentinels, or a Cluster. */
  boolean hasFailOver();

  /** Returns whether there are channels to publish on, and to subscribe to. */
  boolean hasChannels();

  /** Returns whether channels live where keys do: published with SPUBLISH. */
  boolean hasShardedChannels();

  /** Returns the way to the server of this key, for requests that do not wait for replicas. */
  ReconnectingConnection link(byte[] key);

  /**
   * Returns the way to the server of this key, for requests whose durability is then {@linkplain
   * Answer#confirm asked for} on the same connection.
   */
  ReconnectingConnection durable(byte[] key);

  /** Returns who confirms calls of sessions on the server of this key. */
  Confirmer confirmer(byte[] key, Durability durability);

  /**
   * Listens to a channel, until the registration is closed; where there are no channels, nothing
   * ever comes.
   */
  Registration subscribe(String channel, Subscriber subscriber);

  /** Closes the connections. Requests that come later fail with a {@code NotSentException}. */
  @Override
  void close();

  /** Runs a script about these keys, the first of which tells the server. */
  default CompletableFuture<Answer> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    return link(keys.get(0)).run(script, keys, argv);
  }
}
