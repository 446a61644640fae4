package io.punctual.redis.client.connection;

/**
 * Listens to a channel. The connection calls the methods on its own thread, one at a time. But if
 * the channel is already subscribed, {@link #begun} runs on the thread that adds the subscriber,
 * possibly at the same time as {@link #message}. The methods must not block.
 */
public interface Subscriber {
  /**
   * Called when the subscription has begun, possibly again after the connection was lost. Earlier
   * messages may have been missed.
   */
  void begun();

  /** Receives a message that was published on the channel. */
  void message(byte[] message);
}
