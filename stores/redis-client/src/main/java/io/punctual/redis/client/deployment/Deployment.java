package io.punctual.redis.client.deployment;

import io.punctual.Durability;
import io.punctual.redis.client.connection.ChannelSubscription;
import io.punctual.redis.client.connection.Confirmer;
import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.Subscriber;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Script;
import io.punctual.timer.DueTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connections of this client to a Redis deployment: for calls, for channels, and for each
 * durability in use. They are opened on demand, and again after they are lost.
 *
 * <p>Each {@link ReconnectingConnection} sends requests in the order in which callers submit them.
 * Calls that must stay in order across connections go through an {@link OrderedRoute}. A request
 * that a server may have run is not sent again, except the question of {@link #confirm}.
 * Implementations are safe for use by many threads.
 */
public interface Deployment extends AutoCloseable {
  /** Returns the deployment's URL without secrets, for messages to people. */
  default String describe() {
    return settings().url();
  }

  RedisSettings settings();

  /** Returns the timer of the client's time-outs and pauses. */
  DueTimer timer();

  /**
   * Returns whether one server has all keys, so that a script may use keys with different hash
   * tags.
   */
  boolean isOneServer();

  /** Returns whether a replica takes over when a primary fails: with Sentinels, or in a Cluster. */
  boolean hasFailOver();

  /** Returns whether clients can publish messages on channels, and subscribe to channels. */
  boolean hasChannels();

  /**
   * Returns whether channels belong to slots, as keys do, so that messages are published with
   * SPUBLISH.
   */
  boolean hasShardedChannels();

  /** Returns the connection to the server of this key for requests. */
  ReconnectingConnection link(byte[] key);

  /** Returns the confirmer of changes on the server of this key. */
  Confirmer confirmer(byte[] key, Durability durability);

  /**
   * Asks whether the changes of a witness are durable. The question is repeated while no server
   * replies, until the {@linkplain RedisSettings#durabilityTimeout time-out} of the durability has
   * passed.
   *
   * @return for each place of the witness's proof: null once the change is durable, or the reason
   *     why that is not certain, for the user; never fails
   */
  default CompletableFuture<List<@Nullable String>> confirm(
      Durability durability, Witness witness) {
    return new RepeatedConfirmation(this, durability, witness).begin();
  }

  /**
   * Listens to a channel until the subscription is closed. A proxy has no channels, so its
   * subscribers receive nothing.
   */
  ChannelSubscription subscribe(String channel, Subscriber subscriber);

  /** Closes the connections. Later requests fail with {@link RedisCallException.NotSent}. */
  @Override
  void close();

  /** Runs a script with these keys, on the server of the first key. */
  default CompletableFuture<RedisReply> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    return link(keys.get(0)).run(script, keys, argv);
  }
}
