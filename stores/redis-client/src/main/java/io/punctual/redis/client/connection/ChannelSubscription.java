package io.punctual.redis.client.connection;

/** A subscription to a channel. Safe for use by many threads. */
@FunctionalInterface
public interface ChannelSubscription extends AutoCloseable {
  /** Ends the subscription; a second call does nothing. */
  @Override
  void close();
}
