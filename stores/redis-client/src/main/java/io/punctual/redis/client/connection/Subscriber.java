package io.punctual.redis.client.connection;

/**
 * Listens to a channel. The methods run on threads of the connection, one call at a time per
 * connection, and must not block.
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
