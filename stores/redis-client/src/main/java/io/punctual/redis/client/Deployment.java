package io.punctual.redis.client;

import io.punctual.Durability;
import io.punctual.timer.DueTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connections of this client to a Redis deployment: for calls, for hints, and for each
 * durability in use. They are opened on demand, and again after they are lost.
 *
 * <p>Each {@link ReconnectingConnection} sends requests in the order in which they come. Calls that
 * must stay in order across connections go through an {@link OrderedRoute}. No request is sent
 * twice. Implementations are safe for use by many threads.
 */
public interface Deployment extends AutoCloseable {
  /** Returns its URL for people to read, without secrets. */
  String describe();

  /** Returns the settings. */
  RedisSettings settings();

  /** Returns the timer that its waits are on. */
  DueTimer timer();

  /**
   * Returns whether one server has all keys, so that a script may use keys with different hash
   * tags.
   */
  boolean isOneServer();

  /** Returns whether a replica takes over when a server fails: with Sentinels, or in a Cluster. */
  boolean hasFailOver();

  /** Returns whether there are channels to publish on, and to subscribe to. */
  boolean hasChannels();

  /** Returns whether channels live where keys do: published with SPUBLISH. */
  boolean hasShardedChannels();

  /** Returns the way to the server of this key, for requests that do not wait for replicas. */
  ReconnectingConnection link(byte[] key);

  /**
   * Returns the connection to the server of this key for requests that are then {@linkplain
   * RedisReply#confirm confirmed} on the same connection.
   */
  ReconnectingConnection durable(byte[] key);

  /** Returns the confirmer of session calls on the server of this key. */
  Confirmer confirmer(byte[] key, Durability durability);

  /**
   * Asks whether a session's call, and all before it, are as durable as requested. The question is
   * repeated while no server answers it, for the {@linkplain RedisSettings#durabilityTimeout
   * time-out} of the durability.
   *
   * @param key a key on the server that has run the call
   * @param session the key of the session
   * @return null once they are as durable as this, or the reason why that is not certain, for the
   *     user; never fails
   */
  default CompletableFuture<@Nullable String> confirm(
      byte[] key, Durability durability, String session, long number) {
    return new ConfirmationCall(this, key, durability, session, number).begin();
  }

  /**
   * Listens to a channel until the subscription is closed. A proxy has no channels, so its
   * subscribers receive nothing.
   */
  ChannelSubscription subscribe(String channel, Subscriber subscriber);

  /**
   * Closes the connections. Requests that come later fail with {@link RedisCallException.NotSent}.
   */
  @Override
  void close();

  /** Runs a script about these keys, the first of which tells the server. */
  default CompletableFuture<RedisReply> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    return link(keys.get(0)).run(script, keys, argv);
  }
}
