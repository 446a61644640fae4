package io.punctual.redis.client;

/**
 * Listens to a channel. Called on threads of the connection's, one call at a time on each
 * connection; must not block.
 */
public interface Subscriber {
  /**
   * The subscription has begun, perhaps again after the connection was lost. Earlier messages were
   * missed.
   */
  void begun();

  /** Something was published. */
  void message(byte[] message);
}
